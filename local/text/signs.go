package text

// moreWords are function words by language besides those of functionwords.txt, enough to tell the
// language by.
var moreWords = map[string]string{
	"hr": `ali bez da do i ili iz ja je jer kad kako kao kod koja koje koji na nakon ne nego nije o od on ona
oni po prije s sa se su šta što te to u`,
	"sw": `ya wa na kwa ni katika za la cha kama hii huu hiyo huo yake wake lake zake pia baada kabla hadi
lakini au ambao ambayo ambaye kuwa alikuwa ilikuwa walikuwa hutumika ndani nje juu chini sana zaidi
bila kutoka mwaka nani wapi lini nini gani je vipi kwamba hasa mara yao wao hivyo hata tu`,
	"uk": `і й та що як не на у в до від із зі за про при для або але який яка яке які його її їх був була було
були є це цей ця ці того також після під над між лише тільки коли де хто чому він вона вони ми ви`,
	"ur": `کے کی کا میں ہے اور سے کو پر نے یہ وہ ہیں تھا تھی تھے ایک بھی اس ان کر جو نہیں گیا لیے ساتھ بعد کیا
جس ہوا ہوئے کون کہاں کب`,
	"vi": `và của là các có được cho trong một những không với người này đã để khi từ đến cũng ra vào hay như
nhưng thì tại sau trước nào gì ai đâu bao nhiêu năm do theo trên bởi về rất nhất`,
	"yo": `ni ti tí ní àti ati jẹ ó wọ́n fún sí pẹ̀lú kan náà àwọn awon ọdún rẹ̀ nínú ninu bí láti lati ló
gẹ́gẹ́ èyí eyi kí ki kò orílẹ̀ ìlú ilu ará ọmọ wọn tàbí ta`,
}

// ownLetters are letters by language that few other languages have.
var ownLetters = map[string]string{
	"ar":  `ةىأإؤئيك`,
	"bg":  `ъ`,
	"ca":  `·çàèéíòóúï`,
	"ckb": `ۆێەڕڵڤ`,
	"cs":  `ěščřžýáíéůúťďň`,
	"da":  `æøå`,
	"de":  `äöüß`,
	"es":  `ñ¿¡áéíóú`,
	"fa":  `پچژگکی`,
	"fi":  `äö`,
	"fr":  `çàâêîôûœèéëïù`,
	"hr":  `čćšžđ`,
	"hu":  `őűáéíóöúü`,
	"it":  `àèéìòù`,
	"no":  `æøå`,
	"pl":  `ąćęłńóśźż`,
	"pt":  `ãõçáéíóúâêô`,
	"ro":  `ășțâîşţ`,
	"ru":  `ыэё`,
	"sv":  `äöå`,
	"tr":  `ğışçöüİ`,
	"uk":  `іїєґ`,
	"ur":  `ٹڈڑںےہھ`,
	"vi":  `ạảấầẩẫậắằẳẵặẻẽếềểễệỉịỏốồổỗộớờởỡợụủứừửữựỳỵỷỹđơưă`,
	"yo":  `ẹọṣńǹḿ`,
}

// abbreviationsOf are abbreviations by language, in lower case, behind which a sentence goes on.
// Those of English are in abbreviations.
var abbreviationsOf = map[string]string{
	"bg": `г гр др напр стр ул`,
	"ca": `art av núm pàg sra`,
	"cs": `atd č mj např popř resp str tj tzv viz`,
	"da": `bl.a ca f.eks kl mio nr osv pga`,
	"de": `abs abb art bd bzw ca d dipl evtl ggf hl hrsg inkl ing jh kap lt max min mio mrd nr o s sog str tel
u u.a usw v vgl z z.b z.t zzgl`,
	"el": `π.χ κ κ.λπ`,
	"es": `aprox art av cap dra ee.uu núm pág sra srta ud uds`,
	"fi": `eaa esim jne klo mm mrd n ns nro os`,
	"fr": `art av chap env ex mgr mme mlle m p.ex vol`,
	"hi": `डॉ श्री`,
	"hr": `br itd npr odn str tj tzv`,
	"hu": `ifj kb pl stb sz ui ún vö`,
	"id": `dll dsb hlm jl no yg`,
	"it": `art avv cap ecc dott ing pag p.es sig sig.ra`,
	"nl": `a.d bijv blz bv ca d.w.z dhr drs enz ir jl m.b.t mevr nr o.a`,
	"no": `bl.a ca f.eks kl mill mrd nr osv`,
	"pl": `ds godz in itd itp m.in np nr r str św tj tzn tzw ul ur w zm`,
	"pt": `art av cap dra ex núm pág sra`,
	"ro": `art cca dl dna ex nr pag str ș.a`,
	"ru": `в вв г гг гл д др им л млн млрд напр обл пр р рис руб см стр т тел тыс ул`,
	"sv": `bl.a ca d.v.s dvs f.d kl milj m.m nr o.s.v osv p.g.a s.k t.ex`,
	"tr": `alb av bkz cad doç mah örn sok vb vd yy`,
}
