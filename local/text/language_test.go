package text

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// sentencesOf are two sentences in each language, of our own writing.
var sentencesOf = map[string]string{
	"en": "The old bridge was closed in March because deep cracks had been found in it.",
	"ar": "أغلقت المدينة الجسر القديم في شهر مارس بعد أن وجد المهندسون شقوقا عميقة فيه.",
	"bg": "Старият мост беше затворен през март, защото в него бяха открити дълбоки пукнатини.",
	"ca": "El pont vell es va tancar al març perquè els enginyers hi van trobar esquerdes molt profundes.",
	"cs": "Starý most byl v březnu uzavřen, protože v něm inženýři našli hluboké trhliny, které nikdo nečekal.",
	"da": "Den gamle bro blev lukket i marts, efter at der var fundet dybe revner i en af pillerne, og nu må vi køre udenom.",
	"de": "Die alte Brücke wurde im März gesperrt, weil man tiefe Risse in den Pfeilern gefunden hatte.",
	"el": "Η παλιά γέφυρα έκλεισε τον Μάρτιο, επειδή οι μηχανικοί βρήκαν βαθιές ρωγμές.",
	"es": "El puente viejo se cerró en marzo porque los ingenieros habían encontrado grietas profundas en los pilares.",
	"fa": "پل قدیمی در ماه مارس بسته شد، زیرا مهندسان در پایه\u200cهای آن ترک\u200cهای عمیقی پیدا کردند.",
	"fi": "Vanha silta suljettiin maaliskuussa, koska insinöörit olivat löytäneet siitä syviä halkeamia.",
	"fr": "Le vieux pont a été fermé en mars parce que les ingénieurs avaient trouvé des fissures dans les piliers.",
	"he": "הגשר הישן נסגר במרץ כי המהנדסים מצאו בו סדקים.",
	"hi": "पुराना पुल मार्च में बंद कर दिया गया क्योंकि उसमें गहरी दरारें मिली थीं।",
	"hr": "Stara je kuća zatvorena u ožujku jer su u njoj pronađene duboke pukotine, koje nitko nije očekivao.",
	"hu": "A régi hidat márciusban lezárták, mert a mérnökök mély repedéseket találtak benne.",
	"id": "Jembatan tua itu ditutup pada bulan Maret karena para insinyur menemukan retakan yang dalam.",
	"it": "Il vecchio ponte è stato chiuso a marzo perché gli ingegneri avevano trovato delle crepe nei piloni.",
	"ja": "古い橋は三月に閉鎖された。技術者が深いひび割れを見つけたからである。",
	"ko": "오래된 다리는 기술자들이 깊은 균열을 발견했기 때문에 삼월에 폐쇄되었다.",
	"nl": "De oude brug werd in maart gesloten omdat de ingenieurs er diepe scheuren in hadden gevonden.",
	"no": "Den gamle broen ble stengt i mars fordi ingeniørene hadde funnet dype sprekker, og bussene må nå kjøre en omvei.",
	"pl": "Stary most został zamknięty w marcu, ponieważ inżynierowie znaleźli w nim głębokie pęknięcia.",
	"pt": "A ponte velha foi fechada em março porque os engenheiros não confiavam nos pilares, que tinham fissuras.",
	"ro": "Podul vechi a fost închis în martie pentru că inginerii au găsit crăpături adânci în piloni.",
	"ru": "Старый мост закрыли в марте, потому что инженеры нашли в нём глубокие трещины.",
	"sv": "Den gamla bron stängdes i mars eftersom ingenjörerna hade hittat djupa sprickor, och bussarna måste åka en omväg.",
	"sw": "Daraja la zamani lilifungwa mwezi wa Machi kwa sababu wahandisi walipata nyufa kubwa katika nguzo zake.",
	"th": "สะพานเก่าถูกปิดในเดือนมีนาคมเพราะวิศวกรพบรอยแตกลึก",
	"tr": "Eski köprü mart ayında kapatıldı, çünkü mühendisler ayaklarında çok derin çatlaklar bulmuştu.",
	"uk": "Старий міст закрили в березні, бо інженери знайшли в ньому глибокі тріщини.",
	"ur": "پرانا پل مارچ میں بند کر دیا گیا کیونکہ انجینئروں کو اس میں گہری دراڑیں ملی تھیں۔",
	"vi": "Cây cầu cũ đã bị đóng cửa vào tháng ba vì các kỹ sư tìm thấy những vết nứt sâu.",
	"zh": "这座旧桥在三月关闭了,因为工程师发现了很深的裂缝。",
}

func TestDetect(t *testing.T) {
	for code, s := range sentencesOf {
		if got := Detect(s); got.Code != code {
			t.Errorf("%s is taken for %s: %s", code, got.Code, s)
		}
	}
}

// A text in Latin letters that says too little is taken for English.
func TestDetectDoubts(t *testing.T) {
	for in, want := range map[string]*Language{
		"": English, "Rain fell.": English, "…?!": English, "31 49 67": English, "Ben Nevis 1345": English,
		"Kuala Lumpur Reykjavik Ouagadougou Antananarivo Nouakchott Bishkek Ljubljana Vaduz": Unknown,
	} {
		if got := Detect(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

// Citations are no words: long chains of them make a text of no other language.
func TestDetectLeavesCitationsOut(t *testing.T) {
	for code, s := range sentencesOf {
		chained := strings.ReplaceAll(strings.Repeat(s+" ", 3), " ", " [1][4][12] [2, 3] ")
		if got := Detect(chained); got.Code != code {
			t.Errorf("%s is taken for %s: %s", code, got.Code, chained)
		}
	}
	english := sentencesOf["en"] + strings.Repeat("[1][4][7][Doc 12][3; 5]", 150) + sentencesOf["en"]
	if got := Detect(english); got != English {
		t.Errorf("%s", got)
	}
	if got := uncited("a [b] [3 c] [12] [D7]"); got != "a [b] [3 c]    " {
		t.Errorf("%q", got)
	}
}

// What is asked tells the language; the text does where that is short; the user's word goes first.
func TestOf(t *testing.T) {
	for _, c := range []struct {
		code  string
		texts []string
		want  string
	}{
		{"", []string{"Warum Brücken?", sentencesOf["de"]}, "de"},
		{Auto, []string{sentencesOf["fr"], sentencesOf["de"]}, "fr"},
		{"en", []string{sentencesOf["de"]}, "en"},
		{"xx", []string{sentencesOf["zh"]}, "zh"},
		{"", nil, "en"},
	} {
		if got := Of(c.code, c.texts...); got.Code != c.want {
			t.Errorf("%q %q: %s", c.code, c.texts, got)
		}
	}
}

func TestTermsOfLanguages(t *testing.T) {
	for _, c := range []struct{ code, in, want string }{
		{"de", "Die Häuser am See und das Haus kosten 1.250,50 Euro", "haus see haus kost 1250.50 euro"},
		{"de", "Version 2.5 vom 3.10.", "version 2.5 3.10"},
		{"fr", "L'eau de la rivière, les rivières d’Europe", "eau rivi rivi europ"},
		{"it", "Dell'acqua e delle acque", "acqua acque"},
		{"es", "Los gatos negros y la gata negra", "gat negr gat negr"},
		{"ru", "В домах и дома", "дом дом"},
		{"tr", "Ankara'nın IŞIK evleri", "ankar ışık ev"},
		{"hi", "नदी में नदियों का पानी", "नद नद पा"},
		{"ar", "الكِتاب كتابُ", "كتاب كتاب"},
		{"fa", "كتاب\u200cهاي ۱۲۳", "کتاب 123"},
		{"zh", "我的图书馆", "我的 的图 图书 书馆"},
		{"zh", "他们的桥", "的桥"},
		{"ja", "これは橋です", "は橋 橋で"},
		{"th", "สะพาน", "สะพ ะพา พาน"},
		{"ko", "다리는", "다리 리는"},
		{"sw", "Daraja la zamani", "daraja zamani"},
		{"en", "The houses don't cost 1,250.50", "hous cost 1250.50"},
	} {
		l, _ := Lookup(c.code)
		if got := strings.Join(l.Terms(c.in), " "); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.code, c.in, got, c.want)
		}
	}
}

// English is the same by its Language as by the functions, and its stemmer is the first.
func TestStemmerGoesByLanguage(t *testing.T) {
	st := NewStemmer()
	terms := func(s string) []string {
		var out []string
		st.Terms(s, func(term string) { out = append(out, term) })
		return out
	}
	german, _ := Named("German")
	first := terms("was die Häuser")
	st.Use(german)
	second := terms("was die Häuser")
	st.Use(English)
	if third := terms("was die Häuser"); !slices.Equal(first, third) || !slices.Equal(first, Terms("was die Häuser")) {
		t.Errorf("%q and %q", first, third)
	}
	if !slices.Equal(second, []string{"haus"}) {
		t.Errorf("%q", second)
	}
}

func TestSentencesOfLanguages(t *testing.T) {
	for _, c := range []struct{ code, in, want string }{
		{"en", "He came at 3 p.m. Then Mr. Low left. Was it so? Yes.", "He came at 3 p.m.|Then Mr. Low left.|Was it so?|Yes."},
		{"de", "Am 3. Oktober kam Dr. Kuhn, z. B. Mit dem Zug. „Es regnet.“ Dann ging er.",
			"Am 3. Oktober kam Dr. Kuhn, z. B. Mit dem Zug.|„Es regnet.“|Dann ging er."},
		{"fr", "Il pleut. M. Petit dit : «Je pars.» Puis il part.", "Il pleut.|M. Petit dit : «Je pars.»|Puis il part."},
		{"es", "Dijo que no. ¿Por qué? Nadie lo sabe.", "Dijo que no.|¿Por qué?|Nadie lo sabe."},
		{"zh", "桥关闭了。为什么?因为“有裂缝。”大家都知道！", "桥关闭了。|为什么?因为“有裂缝。”|大家都知道！"},
		{"ja", "橋は閉鎖された。「なぜ？」と彼は聞いた。", "橋は閉鎖された。|「なぜ？」|と彼は聞いた。"},
		{"hi", "पुल बंद है। क्यों? दरारें हैं।", "पुल बंद है।|क्यों?|दरारें हैं।"},
		{"ar", "لماذا أغلق الجسر؟ لأن فيه شقوقا.", "لماذا أغلق الجسر؟|لأن فيه شقوقا."},
		{"th", "สะพานเก่าถูกปิดในเดือนมีนาคมเพราะวิศวกรพบรอยแตกลึก รถโดยสารต้องอ้อมไปไกล",
			"สะพานเก่าถูกปิดในเดือนมีนาคมเพราะวิศวกรพบรอยแตกลึก|รถโดยสารต้องอ้อมไปไกล"},
		{"th", "นาย ก ไป", "นาย ก ไป"},
	} {
		l, _ := Lookup(c.code)
		if got := strings.Join(l.Sentences(c.in), "|"); got != c.want {
			t.Errorf("%s: %q, want %q", c.code, got, c.want)
		}
	}
}

func TestCount(t *testing.T) {
	for in, want := range map[string]int{
		"": 0, "one two,three": 2, "- a ’ b": 4, "橋": 1, "青石桥建于一九三六年": 5, "Go语言": 2, "오래된 다리": 2, "สะพานเก่า": 3,
	} {
		if got := Count(in); got != want {
			t.Errorf("%q: %d, want %d", in, got, want)
		}
	}
	for _, c := range []struct {
		in, want string
		n        int
		cut      bool
	}{
		{"one  two three", "one two", 2, true}, {"one  two", "one  two", 2, false}, {"青石桥建于一九三六年", "青石桥建", 2, true},
		{"a 青石桥建", "a 青石", 2, true}, {"a", "", 0, true},
	} {
		if got, cut := First(c.in, c.n); got != c.want || cut != c.cut {
			t.Errorf("%q: %q %v", c.in, got, cut)
		}
	}
}

// Every language has its name and code once, and function words where its support says so.
func TestLanguagesAreWhole(t *testing.T) {
	codes, names := map[string]bool{}, map[string]bool{}
	for _, l := range Languages {
		if codes[l.Code] || names[l.Name] || l.Support == "" {
			t.Errorf("%+v", l)
		}
		codes[l.Code], names[l.Name] = true, true
		if n := len(l.stop()); (l.Support == Stems || l.Support == FunctionWords) && n < 60 {
			t.Errorf("%s has %d function words", l, n)
		}
	}
	for code := range functionWords() {
		if !codes[code] {
			t.Errorf("functionwords.txt has %s, which is no language here", code)
		}
	}
	if len(Languages) > 64 {
		t.Errorf("%d languages do not fit into the bits of a mark", len(Languages))
	}
}

// What is cut from any text, in any language, stands in it, and nothing but white space is lost.
func FuzzLanguages(f *testing.F) {
	for _, s := range sentencesOf {
		f.Add(s + " " + s)
	}
	f.Add("a\u200dक\u200cा' ' 1.5,5 .。«“ ก ข \xff'x")
	f.Fuzz(func(t *testing.T, s string) {
		Detect(s)
		joined := func(s string) string { return strings.Join(strings.Fields(s), "") }
		for _, l := range append([]*Language{Unknown}, Languages...) {
			if got := joined(strings.Join(l.Sentences(s), " ")); got != joined(s) {
				t.Fatalf("%s: sentences of %q lose text: %q", l.Code, s, got)
			}
			l.eachWord(s, new([]byte), func(w []byte, from, to int) {
				if from < 0 || from >= to || to > len(s) || len(w) == 0 {
					t.Fatalf("%s: %q in %q at %d to %d", l.Code, w, s, from, to)
				}
			})
			for _, w := range l.Words(s) {
				if utf8.ValidString(w) && !utf8.ValidString(l.Stem(w)) {
					t.Fatalf("%s: the stem of %q is %q", l.Code, w, l.Stem(w))
				}
			}
		}
		for n := range 4 {
			if first, _ := First(s, n); Count(first) > n {
				t.Fatalf("%q: the first %d words are %q", s, n, first)
			}
		}
	})
}
