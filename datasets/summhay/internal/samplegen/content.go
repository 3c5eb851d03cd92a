package main

// subtopic is one theme of the sample with the facts that recur about it. The
// town, the people and the figures are invented.
type subtopic struct {
	name, title, query string
	insights           []insight
	filler             []string // sentences on the theme that state none of the facts
}

// insight is a fact and three ways in which documents word it.
type insight struct {
	name, text string
	wordings   [3]string
}

const topic = "The harbour town of Skellan Bay debates a tidal power scheme owned by its residents"

// subtopics are in the order of the data.
var subtopics = []subtopic{turbines, money, wildlife, fishing, grid, consent}

var turbines = subtopic{
	name:  "turbines",
	title: "Design and output of the tidal turbines",
	query: "What is said about the turbines and their output?",
	insights: []insight{
		{
			"rotor count",
			"The scheme will place 14 twin-rotor turbines on the seabed of the Narrow Sound.",
			[3]string{
				"Fourteen twin-rotor turbines are to stand on the bed of the Narrow Sound.",
				"The drawings show 14 turbines, each with two rotors, fixed to the seabed of the Narrow Sound.",
				"Divers have marked places for the 14 twin-rotor " +
					"machines that will sit at the bottom of the Narrow Sound.",
			},
		},
		{
			"annual output",
			"Together the turbines are expected to deliver 31 gigawatt hours a year, enough for 9,200 homes.",
			[3]string{
				"Engineers expect 31 gigawatt hours a year from the machines, enough for 9,200 homes.",
				"The yearly yield is put at 31 GWh, which would supply 9,200 homes.",
				"With an output of 31 gigawatt hours each year the turbines could light 9,200 homes.",
			},
		},
		{
			"slack water",
			"At slack water the turbines stand still for about 50 minutes four times a day.",
			[3]string{
				"Four times a day, at slack water, the blades stand still for about 50 minutes.",
				"The turbines rest for roughly 50 minutes at each of the four slack waters of a day.",
				"Nobody hides that the machines stop four times daily, for some 50 minutes around slack water.",
			},
		},
		{
			"blade material",
			"The blades are made of recycled glass fibre by the Orrin boatyard and weigh 640 kilograms each.",
			[3]string{
				"The Orrin boatyard will cast the blades from recycled glass fibre, 640 kilograms apiece.",
				"Each blade weighs 640 kilograms and is laid up from recycled glass fibre at the Orrin boatyard.",
				"At the Orrin boatyard the first 640-kilogram blade of recycled glass fibre has left its mould.",
			},
		},
		{
			"trial turbine",
			"A single trial turbine ran for 19 months from March 2021 and was available 93 percent of the time.",
			[3]string{
				"The trial turbine ran for 19 months from March 2021 and was available 93 percent of the time.",
				"Since March 2021 a single test machine worked for 19 months with an availability of 93 percent.",
				"Supporters point to the test turbine, " +
					"available 93 percent of its 19 months at sea from March 2021 on.",
			},
		},
	},
	filler: []string{
		"How a rotor turns slow water into power was explained with a bucket and a toy propeller.",
		"Several people asked what happens to the machinery in a winter storm.",
		"The engineers answered most questions about the turbines without looking at their notes.",
		"A model of one machine stood on the table and was turned by many hands.",
		"There was some doubt whether published figures for output ever match what comes ashore.",
		"Spare parts and the noise of the gears came up more than once.",
	},
}

var money = subtopic{
	name:  "money",
	title: "Financing and shares of the scheme",
	query: "How is the scheme to be paid for?",
	insights: []insight{
		{
			"share price",
			"Residents can buy shares from 150 euros, and nobody may hold more than 2 percent.",
			[3]string{
				"Shares start at 150 euros and no one may own more than 2 percent.",
				"Any resident can join with 150 euros, while holdings are capped at 2 percent for each person.",
				"The smallest share costs 150 euros; the rules limit every holder to 2 percent.",
			},
		},
		{
			"total cost",
			"The whole scheme costs 46 million euros, of which the sea cable takes 11 million.",
			[3]string{
				"The scheme is priced at 46 million euros, 11 million of it for the sea cable.",
				"Of the total cost of 46 million euros the sea cable alone takes 11 million.",
				"At 46 million euros in all, with 11 million spent on the sea cable, " +
					"it is the dearest thing the town has ever planned.",
			},
		},
		{
			"bank loan",
			"The Fulmar Cooperative Bank lends 22 million euros at 3.4 percent over 18 years.",
			[3]string{
				"The Fulmar Cooperative Bank has agreed to lend 22 million euros over 18 years at 3.4 percent.",
				"A loan of 22 million euros at 3.4 percent comes from " +
					"the Fulmar Cooperative Bank and runs for 18 years.",
				"For 18 years the town would pay 3.4 percent on the 22 " +
					"million euros that the Fulmar Cooperative Bank provides.",
			},
		},
		{
			"dividend",
			"Members are promised a dividend of 4 percent from the third year, after a reserve fund is filled.",
			[3]string{
				"From the third year on members should receive a dividend of 4 percent, once the reserve fund is full.",
				"A 4 percent dividend is foreseen, " +
					"but not before year three and only when the reserve fund has been filled.",
				"The reserve fund comes first; after that, from the third year, 4 percent will be paid to members.",
			},
		},
		{
			"school fund",
			"Five cents of every kilowatt hour sold go to a fund for the town's two schools.",
			[3]string{
				"For every kilowatt hour sold, five cents go into a fund for the two schools.",
				"The two schools of the town would get five cents from each kilowatt hour that is sold.",
				"A school fund, fed by five cents per kilowatt hour sold, is part of the statutes for both schools.",
			},
		},
	},
	filler: []string{
		"Money took up the larger part of the evening, as it always does.",
		"The treasurer asked everyone to read the share prospectus before they signed anything.",
		"Some pensioners wanted to know what happens to their shares when they move away.",
		"An accountant from the mainland had gone through the finance plan line by line.",
		"It was said that a loan is a promise made by people who are not yet born.",
		"Several speakers compared the cost with what the town pays for diesel.",
	},
}

var wildlife = subtopic{
	name:  "wildlife",
	title: "Effects on seals, birds and fish",
	query: "Which effects on wildlife are discussed?",
	insights: []insight{
		{
			"seal count",
			"A count in August 2022 found 318 harbour seals within four kilometres of the site.",
			[3]string{
				"In August 2022 observers counted 318 harbour seals within four kilometres of the site.",
				"The seal count of August 2022 came to 318 harbour seals inside a circle of four kilometres.",
				"Within four kilometres of the place live 318 harbour seals, according to the August 2022 count.",
			},
		},
		{
			"shutdown sonar",
			"Sonar stops a turbine within 7 seconds when a large animal comes closer than 30 metres.",
			[3]string{
				"If a large animal comes closer than 30 metres, sonar stops the turbine within 7 seconds.",
				"A sonar watches the water and halts a machine in 7 " +
					"seconds as soon as a big animal is nearer than 30 metres.",
				"Within 7 seconds of a sonar contact under 30 metres the rotor stands still, " +
					"so that no large animal is struck.",
			},
		},
		{
			"nesting pause",
			"No piling is allowed between 1 April and 15 August, when terns nest on Gull Rock.",
			[3]string{
				"Between 1 April and 15 August, while terns nest on Gull Rock, piling is forbidden.",
				"Because of the terns on Gull Rock no pile may be driven from 1 April to 15 August.",
				"The terns of Gull Rock have the last word: " +
					"piling stops on 1 April and may not begin again before 15 August.",
			},
		},
		{
			"herring",
			"Marine biologist Ada Quill warns that herring may avoid the Sound for two spawning seasons.",
			[3]string{
				"Herring may avoid the Sound for two spawning seasons, warns the marine biologist Ada Quill.",
				"The marine biologist Ada Quill expects two spawning " +
					"seasons in which herring stay away from the Sound.",
				"Ada Quill, a marine biologist, " +
					"would not rule out that herring shun the Sound for two spawning seasons.",
			},
		},
		{
			"kelp beds",
			"Replanting 6 hectares of kelp in Dunnet Cove is a condition of the permit.",
			[3]string{
				"The permit demands that 6 hectares of kelp be replanted in Dunnet Cove.",
				"As a condition of the permit, kelp must be planted again on 6 hectares of Dunnet Cove.",
				"Dunnet Cove is to get 6 hectares of new kelp; without the replanting there is no permit.",
			},
		},
	},
	filler: []string{
		"The birdwatchers had brought photographs and a telescope.",
		"Nobody at the table wished any harm to the animals of the bay.",
		"Whether fish can hear a turbine is a question that science has only begun to ask.",
		"A diver spoke about the life she sees on wrecks and mooring chains.",
		"The wildlife report fills two binders and is open to everyone in the library.",
		"Children had drawn the creatures of the Sound, seals above all.",
	},
}

var fishing = subtopic{
	name:  "fishing",
	title: "Consequences for the fishing fleet",
	query: "What would the scheme mean for fishing?",
	insights: []insight{
		{
			"closed area",
			"An area of 2.6 square kilometres around the turbines would be closed to trawling.",
			[3]string{
				"Trawling would be forbidden in an area of 2.6 square kilometres around the turbines.",
				"Around the machines 2.6 square kilometres are to be closed to trawlers.",
				"The chart shows a closed area for trawling that measures 2.6 square kilometres.",
			},
		},
		{
			"creel boats",
			"The 23 creel boats may go on setting pots for crab and lobster between the turbines.",
			[3]string{
				"The 23 creel boats may still set their pots for crab and lobster between the turbines.",
				"Setting pots between the machines stays allowed, so the 23 creel boats keep their crab and lobster.",
				"For crab and lobster nothing changes: all 23 creel boats can lay pots among the turbines.",
			},
		},
		{
			"compensation",
			"Skippers are offered 8,500 euros a year for five years in compensation.",
			[3]string{
				"Each skipper is offered 8,500 euros a year, for five years, as compensation.",
				"Compensation of 8,500 euros a year over five years has been offered to the skippers.",
				"The skippers can claim 8,500 euros yearly, limited to five years, for what they lose.",
			},
		},
		{
			"guard jobs",
			"Four of the town's trawlers will be hired as guard boats during the 16 months of building.",
			[3]string{
				"During the 16 months of building four trawlers of the town will be hired as guard boats.",
				"Four trawlers find work as guard boats for the 16 months that building lasts.",
				"For 16 months, as long as the building goes on, four local trawlers serve as guard boats.",
			},
		},
		{
			"quay fees",
			"Harbour fees for fishing boats are to fall by 12 percent once the cable is paid off.",
			[3]string{
				"Once the cable is paid off, fishing boats will pay 12 percent less in harbour fees.",
				"A cut of 12 percent in harbour fees awaits the fishing boats when the cable has been paid off.",
				"The harbour office plans to lower the fees of fishing " +
					"boats by 12 percent after the cable is paid off.",
			},
		},
	},
	filler: []string{
		"The skippers sat in the last row and spoke last, as is their custom.",
		"A net caught on a cable can pull a boat under, one of them reminded the meeting.",
		"The fish auction has fewer buyers than ten years ago.",
		"Young people who want to go fishing need a boat, a licence and patience.",
		"It was agreed that charts of the fishing grounds had to be drawn again.",
		"Nobody could say what the price of crab will be next year.",
	},
}

var grid = subtopic{
	name:  "grid",
	title: "Cable, storage and use of the power",
	query: "How will the power reach people and be stored?",
	insights: []insight{
		{
			"cable route",
			"The cable lands at Pedlar's Slip after 5.8 kilometres, buried 1.5 metres deep.",
			[3]string{
				"After 5.8 kilometres, buried 1.5 metres deep, the cable lands at Pedlar's Slip.",
				"The cable comes ashore at Pedlar's Slip; " +
					"it is 5.8 kilometres long and lies 1.5 metres under the seabed.",
				"Workers will bury 5.8 kilometres of cable 1.5 metres deep as far as Pedlar's Slip.",
			},
		},
		{
			"battery",
			"A battery of 9 megawatt hours in the old ice house covers the pauses between tides.",
			[3]string{
				"In the old ice house a battery of 9 megawatt hours will bridge the pauses between tides.",
				"The pauses between tides are covered by a 9-megawatt-hour battery that moves into the old ice house.",
				"The old ice house becomes home to a battery; " +
					"its 9 megawatt hours last through every pause of the tide.",
			},
		},
		{
			"diesel",
			"The diesel plant on Mill Lane, which burns 4,100 tonnes a year, is kept only as a reserve.",
			[3]string{
				"The diesel plant on Mill Lane, with its 4,100 tonnes a year, will be kept only as a reserve.",
				"Today 4,100 tonnes of diesel are burned on Mill Lane each year; " +
					"the plant would become a mere reserve.",
				"As a reserve, and no more, the Mill Lane plant stays, which now burns 4,100 tonnes of diesel a year.",
			},
		},
		{
			"ferry",
			"From 2027 the ferry Tern of Skellan will charge at the quay and save 700 tonnes of fuel a year.",
			[3]string{
				"The ferry Tern of Skellan will charge at the quay from 2027 and save 700 tonnes of fuel a year.",
				"From 2027 on the Tern of Skellan, the ferry, " +
					"draws power at the quay, which saves 700 tonnes of fuel yearly.",
				"Charging at the quay saves the ferry Tern of Skellan 700 tonnes of fuel a year, beginning in 2027.",
			},
		},
		{
			"tariff",
			"Members pay 17 cents per kilowatt hour at night and 24 cents by day.",
			[3]string{
				"At night members pay 17 cents per kilowatt hour, by day 24 cents.",
				"The members' tariff is 24 cents per kilowatt hour in the daytime and 17 cents at night.",
				"A kilowatt hour costs members 17 cents by night and 24 cents by day.",
			},
		},
	},
	filler: []string{
		"Half of the questions were about what a power bill will look like.",
		"An electrician drew the grid of the town on the back of a poster.",
		"Storage is the part of the plan that people find hardest to picture.",
		"A power cut three winters ago is still remembered in every kitchen.",
		"The trench through the old streets would be dug in one summer and closed in the next.",
		"Someone suggested heating the swimming pool whenever there is too much power.",
	},
}

var consent = subtopic{
	name:  "consent",
	title: "Votes, permits and the timetable",
	query: "Which decisions have been taken and what comes next?",
	insights: []insight{
		{
			"referendum",
			"In the referendum of 9 October 2022, 61 percent voted for the scheme on a turnout of 74 percent.",
			[3]string{
				"On 9 October 2022 the referendum brought 61 percent for the scheme, with a turnout of 74 percent.",
				"With 74 percent of voters taking part, 61 percent said yes in the referendum of 9 October 2022.",
				"The referendum of 9 October 2022 settled it for many: " +
					"61 percent in favour on a turnout of 74 percent.",
			},
		},
		{
			"permit",
			"The Coastal Agency granted a permit for 25 years on 3 May 2023.",
			[3]string{
				"On 3 May 2023 the Coastal Agency granted a permit that lasts 25 years.",
				"The Coastal Agency's permit, dated 3 May 2023, is good for 25 years.",
				"Since 3 May 2023 there is a permit from the Coastal Agency, valid for 25 years.",
			},
		},
		{
			"objections",
			"Of 212 objections, 187 were settled in talks led by the mediator Ines Varga.",
			[3]string{
				"The mediator Ines Varga settled 187 of the 212 objections in talks.",
				"Of the 212 objections all but a few are gone: " +
					"187 were settled in talks led by the mediator Ines Varga.",
				"In talks under the mediator Ines Varga 187 objections out of 212 could be settled.",
			},
		},
		{
			"court case",
			"A suit by the Sailing Club is before the court in Marhaven and will be heard in February 2025.",
			[3]string{
				"The suit of the Sailing Club will be heard by the court in Marhaven in February 2025.",
				"In February 2025 the court in Marhaven is to hear the suit that the Sailing Club has brought.",
				"One suit is left, that of the Sailing Club, which the Marhaven court hears in February 2025.",
			},
		},
		{
			"first power",
			"Building starts in September 2025 and first power is planned for the spring of 2027.",
			[3]string{
				"Building is to begin in September 2025, with first power in the spring of 2027.",
				"If building starts in September 2025 as planned, first power will flow in the spring of 2027.",
				"The timetable names September 2025 for the start of building and the spring of 2027 for first power.",
			},
		},
	},
	filler: []string{
		"The mayor asked for calm and for short speeches.",
		"Every vote on this matter has filled the hall to the doors.",
		"A timetable hangs in the window of the town hall and is corrected by hand.",
		"Lawyers, it was remarked, are paid by the page.",
		"The council wants to decide nothing behind closed doors.",
		"Some would have liked a second vote after the plans were changed.",
	},
}

// genres are kinds of documents: how they open and close.
var genres = []struct{ open, close []string }{
	{
		open: []string{
			"Minutes of the open meeting in the net loft, taken by the clerk.",
			"These are the minutes of the council's evening session, with thanks to all who stayed to the end.",
			"Record of the residents' assembly; corrections may be handed in until Friday.",
		},
		close: []string{
			"The meeting closed with a vote of thanks to the kitchen.",
			"There being nothing else to decide, the chair ended the session.",
			"The next meeting will be held at the same place and hour.",
		},
	},
	{
		open: []string{
			"Letter to the editor. I have lived above the harbour for forty years and have heard many plans.",
			"Dear editor, since my neighbours keep asking what I think, I will write it down once.",
			"Sir, I read your last issue with interest and wish to add a few things.",
		},
		close: []string{
			"I thank you for the space and remain a faithful reader.",
			"Let us argue, but let us argue about what is true.",
			"That is all I have to say, and I am glad to be contradicted.",
		},
	},
	{
		open: []string{
			"Good morning from Radio Sound, where we have been talking to people on the quay.",
			"This is the harbour programme, and today the telephone has not stopped ringing.",
			"Welcome back to the studio, where three guests share one microphone.",
		},
		close: []string{
			"After the weather we will play some music.",
			"Call us if you see it differently; the number has not changed.",
			"That was the harbour programme, made with a cold and a lot of tea.",
		},
	},
	{
		open: []string{
			"Notes from a walk around the bay with visitors from the mainland university.",
			"A diary entry, written on the ferry with numb fingers.",
			"From the travel book of a student who came to study the tides and stayed for the soup.",
		},
		close: []string{
			"The light went early and we walked home by the shore.",
			"I closed the notebook when the rain came.",
			"Tomorrow I shall ask the same questions again and compare the answers.",
		},
	},
	{
		open: []string{
			"Newsletter of the tidal society for members and friends.",
			"What happened this month: a short report for those who could not come.",
			"The society's notice board, printed and online.",
		},
		close: []string{
			"Volunteers for the stall on market day are welcome.",
			"Please pass this sheet on when you have read it.",
			"With kind regards from the committee.",
		},
	},
}

// links join paragraphs on different themes.
var links = []string{
	"The talk then moved on.",
	"Another matter came up.",
	"There is a further point.",
	"This led to the next question.",
	"Later the subject changed.",
	"Something else deserves a word.",
	"It did not end there.",
	"The other thing people spoke about was this.",
}

// asides fill a text without saying anything on any theme.
var asides = []string{
	"Outside, the gulls were louder than the traffic.",
	"Coffee was poured and somebody opened a window.",
	"An old dog slept through all of it.",
	"The clock on the wall is always five minutes slow.",
	"A bus full of visitors stopped and drove off again.",
	"It had been raining since noon.",
	"The bakery had sent a tray of buns.",
	"One could hear the halyards beat against the masts.",
	"Somebody's telephone played a march.",
	"The evening was mild for the time of year.",
}
