import Testing

@testable import RoostText

@Suite struct TextLanguagesTests {
    @Test(arguments: [
        ("The swifts came back in May and nest under the roof of the church.", TextLanguage.english),
        ("Die Mauersegler sind im Mai zurückgekehrt und nisten unter dem Dach.", .german),
        ("Les martinets sont revenus en mai et nichent sous le toit de l'église.", .french),
        ("Los vencejos han vuelto en mayo y anidan bajo el tejado de la iglesia.", .spanish),
        ("I rondoni sono tornati a maggio e fanno il nido sotto il tetto della chiesa.", .italian),
        (
            "Os andorinhões voltaram em maio e fazem o ninho no telhado da igreja, mas não na torre.",
            .portuguese
        ),
        ("De gierzwaluwen zijn in mei teruggekomen en broeden onder het dak van de kerk.", .dutch),
        ("Tornseglarna kom tillbaka i maj och häckar under taket på kyrkan, men inte i tornet.", .swedish),
        ("Mursejlerne kom tilbage i maj og yngler nu under taget på kirken, men ikke i tårnet.", .danish),
        (
            "Tervapääskyt ovat palanneet toukokuussa ja ne pesivät kirkon katon alla, mutta ei tornissa.",
            .finnish
        ),
        (
            "A sarlósfecskék májusban tértek vissza, és a templom teteje alatt fészkelnek, de nem a toronyban.",
            .hungarian
        ),
        ("Jerzyki wróciły w maju i gnieżdżą się pod dachem kościoła, ale nie na wieży.", .polish),
        (
            "Ebabiller mayıs ayında geri döndü ve kilisenin çatısında yuva yapıyor, ama bu kulede değil.",
            .turkish
        ),
        ("kubectl get pods | grep error", .english), ("", .english), ("die hard", .english),
    ])
    func `the language of a Latin text is detected`(text: String, language: TextLanguage) {
        #expect(TextLanguages(of: text).latin == language)
    }

    @Test func `languages that share an alphabet are distinguished`() {
        #expect(TextLanguages(of: "Ласточки вернулись в начале мая").cyrillic == .russian)
        #expect(
            TextLanguages(of: "Ластівки повернулися на початку травня і звили гнізда").cyrillic == .ukrainian)
        #expect(TextLanguages(of: "پرستوها در آغاز بهار بازگشتند و لانه ساختند که این را").arabic == .persian)
        #expect(TextLanguages(of: "عادت طيور السنونو في بداية الربيع").arabic == .arabic)
    }

    @Test(arguments: [
        ("Někdo musí zítra koupit chleba", TextLanguage.czech), ("Każdy musi kiedyś wrócić", .polish),
        ("Ogni mattina possiamo fare colazione", .italian), ("Alguien debería comprar pan", .spanish),
        ("Alla måste komma tillbaka", .swedish), ("Ingen må komme tilbake", .norwegian),
        ("Jemand sollte heute Brot kaufen", .german), ("Semua orang harus membeli roti", .indonesian),
        ("Herkes sadece ekmek almak ister", .turkish), ("Alguém deve comprar pão", .portuguese),
        ("Jokaisen pitää joskus palata", .finnish), ("Mindenki szeret néha olvasni", .hungarian),
    ])
    func `a short sentence is recognized by its pronouns, adverbs and auxiliary verbs`(
        text: String, language: TextLanguage
    ) {
        #expect(TextLanguages(of: text).latin == language)
    }

    @Test(arguments: [
        "Holiday Inn booking confirmation", "soy sauce noodles", "kung fu movies", "chi square table",
        "environment vars", "silver pendant necklace", "Canterbury Tales review", "Kofi Annan speech",
        "Kubernetes pod restart, pod logs", "Stata regression output", "birthday gift Mia", "mere opinion",
    ])
    func `a short English text is not recognized as another language by a word or name`(text: String) {
        #expect(TextLanguages(of: text).latin == .english)
    }

    @Test func `a text has a language for each of its alphabets`() {
        let languages = TextLanguages(of: "Читаю книгу «The Art of Computer Programming» и делаю заметки")
        #expect(languages.cyrillic == .russian && languages.latin == .english)
    }

    @Test func `a query is in a language of the store`() {
        #expect(TextLanguages(ofQuery: "la tomate", among: [.english, .french]).latin == .french)
        #expect(TextLanguages(ofQuery: "die hard", among: [.english]).latin == .english)
    }

    @Test func `the lists of stop words contain words as texts are folded`() {
        for (language, words) in StopWords.byLanguage {
            for word in words {
                #expect(WordFolding(word.utf8).spelling == Array(word.utf8), "\(word) of \(language)")
            }
        }
    }
}
