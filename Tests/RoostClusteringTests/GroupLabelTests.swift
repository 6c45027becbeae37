import RoostText
import Testing

@testable import RoostClustering

struct GroupLabelTests {
    func labels(_ groups: [[String]], parents: [Int?] = []) -> [String] {
        var tally = WordTally(groups: groups.count)
        for (group, texts) in groups.enumerated() {
            for text in texts { tally.add(text, to: group, isRepresentative: true) }
        }
        let vocabularies = tally.vocabularies(parents: parents)
        return vocabularies.labels(
            from: vocabularies.labelPhrases(limit: 24),
            groups.map { texts in
                .init(titles: texts.prefix(5).compactMap { TextTitle.firstSentence(of: $0) })
            })
    }

    func numbered(_ text: String, _ count: Int = 8) -> [String] { (0..<count).map { "\(text) \($0)" } }

    @Test func `a compound is not cut in half`() {
        let found = labels([numbered("Show proof of identity"), numbered("The transfer failed")])
        #expect(found[0].contains("proof of identity"))
    }

    @Test func `addresses, markup, hashes, numbers and lone marks are not part of labels`() {
        let noise = """
            https://example.org/path%20notes?q=20 www.test.example someone@mail.example &amp; &#39; \
            <div class="big">x</div> 3f2a9b1c 2024 \u{FE0F} \u{0301} 中
            """
        let found = labels([numbered("bread \(noise)"), numbered("sail \(noise)"), numbered("star \(noise)")])
        #expect(found == ["bread", "sail", "star"])
    }

    @Test func `stop words of other languages are not part of labels`() {
        let found = labels([
            numbered("Das Haus ist sehr groß und die Tür auch"),
            numbered("Der Hund und die Katze sind nicht hier"),
            numbered("Le chien est dans la maison avec les enfants"),
        ])
        #expect(found == ["groß, Haus, Tür", "Hund, Katze", "chien, enfants, maison"])
    }

    @Test func `stop words of a few texts in another language are not part of labels`() {
        let english = (0..<30).map { "A boat with a keel sails across the sea, number \($0)" }
        let german = (0..<6).map { "Das Boot fährt bei Wind und der Kiel ist unter dem Rumpf, Nummer \($0)" }
        let words = labels([english + german, numbered("bread rises in the oven")])[0].lowercased()
            .split { !$0.isLetter }
        #expect(!words.isEmpty)
        for word in ["bei", "der", "dem", "das", "und", "ist", "unter"] {
            #expect(!words.contains { $0 == word }, "\(words)")
        }
    }

    @Test func `a script without spaces gives phrases, not single characters`() {
        for label in labels([numbered("今天天气很好"), numbered("我喜欢吃苹果")]) {
            #expect(label.split(separator: ", ").allSatisfy { $0.count > 1 }, "\(label)")
        }
    }

    @Test func `forms of a word are one word in its language, even if each form occurs in one text`() {
        let german = labels([
            [
                "Die Kette an meinem Fahrrad ist neu.", "Der Rahmen des Fahrrads ist nicht aus Stahl.",
                "Alle Fahrräder sind in der Garage.",
            ],
            [
                "Der Hund liegt auf dem Sofa.", "Die Hunde sind im Garten.",
                "Das Futter des Hundes ist in der Küche.",
            ],
        ])
        #expect(german == ["Fahrrad", "Hund"])
        let russian = labels([
            ["Мы поймали рыбу на озере.", "Он не ловит рыбы зимой.", "Это большая рыба."],
            [
                "Новая книга лежит на столе.", "Она читает книги по вечерам.",
                "В этой книге есть рассказы.",
            ],
        ])
        #expect(russian == ["рыба", "книга"])
    }

    @Test func `phrases of a script without spaces do not begin or end with function words`() {
        let texts = [
            ["我们参观了博物馆", "他们参观了长城", "导游带我们去参观"],
            ["医生和病人", "病人很多", "护士和病人"],
        ]
        #expect(labels(texts) == ["参观", "病人"])
    }

    @Test func `labels of all groups differ`() {
        let found = labels([
            numbered("same text"), numbered("same text"), numbered("same text"), ["", ""], ["", ""],
        ])
        #expect(Set(found).count == found.count)
        #expect(found.allSatisfy { !$0.isEmpty })
    }

    @Test func `texts that share no word are labeled with the title of the most central one`() {
        let found = labels([
            ["kqx zzt aab", "vbn rrt ccd", "ggh kkl eef"], ["😀 😀 😀", "😃", "😄"], ["", "", ""],
        ])
        #expect(found == ["kqx zzt aab", "😀 😀 😀", "texts without words"])
    }

    @Test func `articles and endings that an apostrophe separates are not part of the words of a label`() {
        let french = labels([
            [
                "L'eau de la rivière est très froide.", "On boit de l’eau avec le repas.",
                "Il n'y a pas d'eau dans le puits.",
            ],
            [
                "L'orchestre est dans la salle.", "Le chef d’orchestre n'est pas là.",
                "Nous écoutons l'orchestre avec plaisir.",
            ],
        ])
        #expect(french == ["eau", "orchestre"])
        let turkish = labels([
            [
                "Ankara'da bu kış çok kar yağdı.", "Biz Ankara’dan geldik ama o gelmedi.",
                "Ankara'nın parkları çok güzel ve büyük.",
            ],
            ["Kedi bir ağaç gibi uzun.", "Bu kedi çok küçük.", "Kedi ve köpek için yemek var."],
        ])
        #expect(turkish == ["Ankara", "kedi"])
    }

    @Test func `labels do not depend on the order of texts`() {
        let first = (0..<30).map { "bread oven \($0 % 7 == 0 ? "crust" : "dough")" }
        let second = (0..<30).map { "sail harbour \($0 % 5 == 0 ? "keel" : "mast")" }
        #expect(labels([first, second]) == labels([first.reversed(), second.reversed()]))
    }

    @Test func `a parent has a label of its own from the texts of its children`() {
        let found = labels(
            [
                numbered("bread of the oven"), numbered("cake of the oven"), numbered("sail of the harbour"),
                numbered("keel of the harbour"), [], [],
            ], parents: [4, 4, 5, 5, nil, nil])
        #expect(found[4].contains("oven") && found[5].contains("harbour"))
        #expect(Set(found).count == found.count)
    }

    @Test func `the words of a person do not occur in labels`() {
        var tally = WordTally(groups: 2, excluded: ["bread", "sail"])
        for number in 0..<8 {
            tally.add("bread dough \(number)", to: 0)
            tally.add("sail keel \(number)", to: 1)
        }
        let vocabularies = tally.vocabularies()
        let found = vocabularies.labels(
            from: vocabularies.labelPhrases(limit: 24), [.init(), .init()])
        #expect(found == ["dough", "keel"])
    }

    @Test(.enabled(if: Words.divided(Array("北京大学".utf8)).count == 2, "ICU is not installed"))
    func `labels have whole words of scripts without spaces`() {
        var tally = WordTally(groups: 2)
        let names = ["名", "権限", "一覧", "容量", "移動", "整理"]
        for name in names {
            tally.add("フォルダーの\(name)を確認した。", to: 0, isRepresentative: true)
            tally.add("テンプレートの\(name)を直した。", to: 1, isRepresentative: true)
        }
        let vocabularies = tally.vocabularies()
        let found = vocabularies.labels(
            from: vocabularies.labelPhrases(limit: 24), [.init(), .init()])
        #expect(found[0].contains("フォルダー") && found[1].contains("テンプレート"))
        #expect(!found.contains { $0.contains("テンプレー,") || $0.hasSuffix("テンプレ") })
    }

    @Test func `a previous label is kept while its phrases are among the best`() {
        var tally = WordTally(groups: 2)
        for number in 0..<8 {
            tally.add("bread dough oven crust \(number)", to: 0)
            tally.add("sail keel mast rope \(number)", to: 1)
        }
        let vocabularies = tally.vocabularies()
        let found = vocabularies.labels(
            from: vocabularies.labelPhrases(limit: 24),
            [.init(previous: "oven, dough"), .init(previous: "sail, pasta")])
        #expect(found[0] == "oven, dough")
        #expect(found[1] != "sail, pasta")
    }

    @Test func `a previous label is kept if another form of its words becomes more frequent`() {
        var tally = WordTally(groups: 2)
        for number in 0..<17 {
            tally.add("teacher \(number < 8 ? "student" : "students") \(number)", to: 0)
            tally.add("sail keel mast rope \(number)", to: 1)
        }
        let vocabularies = tally.vocabularies()
        let phrases = vocabularies.labelPhrases(limit: 24)
        #expect(vocabularies.labels(from: phrases, [.init(), .init()])[0].contains("students"))
        let found = vocabularies.labels(
            from: phrases, [.init(previous: "student, teacher"), .init(previous: "sail, student")])
        #expect(found[0] == "student, teacher")
        #expect(found[1] != "sail, student")
    }

    @Test func `a group never gets a label that another group has in any case`() {
        var tally = WordTally(groups: 3)
        for number in 0..<8 {
            tally.add("bread \(number)", to: 0)
            tally.add("bread \(number)", to: 1)
            tally.add("sail \(number)", to: 2)
        }
        let vocabularies = tally.vocabularies()
        let found = vocabularies.labels(
            from: vocabularies.labelPhrases(limit: 24),
            [.init(titles: ["White bread"]), .init(fixed: "Sails"), .init(fixed: "Bread")])
        #expect(found == ["White bread", "Sails", "Bread"])
    }

    @Test func `names and abbreviations are written as in most sentences`() {
        let found = labels([
            numbered("We moved PostgreSQL to the DNS. Backups of PostgreSQL use the DNS and a cron job"),
            numbered("Bread needs an oven. Put the Bread In The Oven, and the bread is done in the oven"),
        ])
        #expect(found[0].contains("PostgreSQL") && found[0].contains("DNS"), "\(found)")
        #expect(found[1].contains("bread") && found[1].contains("oven"), "\(found)")
    }

    @Test func `a phrase replaces a single word that it contains`() {
        let texts = numbered("they flew to the United States") + numbered("and there was United again", 10)
        let found = labels([texts, numbered("a sail and a keel")])[0].split(separator: ", ")
        #expect(found.contains("United States") && !found.contains("United"), "\(found)")
        // The phrase is too rare to be the subject.
        let others = numbered("they bought a computer") + numbered("they asked Computer Associates", 2)
        let computers = labels([others, numbered("a sail and a keel")])[0].split(separator: ", ")
        #expect(computers.contains("computer"), "\(computers)")
    }

    @Test func `nouns of German sentences are written with a capital letter`() {
        let found = labels([
            numbered("Wir haben Brot, Mehl, Wasser, Hefe"), numbered("Wir haben Segel, Kiel, Mast, Ruder"),
        ])
        #expect(found == ["Brot, Hefe, Mehl", "Kiel, Mast, Ruder"])
    }

    @Test func `a word that occurs only at the beginning of sentences is written as there`() {
        let quotes = (0..<8).map { "The bread of day \($0) is good." }
        let wrapped = (0..<8).map { "Aus dem Buch für\nKinderaufsätze: (Fach \($0))" }
        let found = labels([quotes, wrapped, numbered("Sail with a keel. We sail when it rains")])
        #expect(found[1].contains("Kinderaufsätze"), "\(found)")
        #expect(found[2].contains("sail"), "\(found)")
        // A spelling elsewhere decides, even if it is less frequent.
        let commands = "Npm installs it. Npm is here. We use NPM"
        let command = labels([numbered(commands), numbered("a sail and a keel")])
        #expect(command[0].contains("NPM"), "\(command)")
    }

    @Test func `names of folders count like words of titles`() {
        var tally = WordTally(groups: 2)
        for number in 0..<8 {
            tally.add("select \(number)", to: 0, folders: ["til", "postgres"])
            tally.add("keel \(number)", to: 1, folders: ["til", number < 2 ? "postgres" : "sailing"])
        }
        let vocabularies = tally.vocabularies()
        let found = vocabularies.labels(from: vocabularies.labelPhrases(limit: 24), [.init(), .init()])
        #expect(found[0].contains("postgres") && !found[1].contains("postgres"), "\(found)")
        #expect(found.allSatisfy { !$0.contains("til") }, "\(found)")
    }

    @Test(.timeLimit(.minutes(1)), arguments: [[], ["photo"]])
    func `many groups without words get different labels in linear time`(titles: [String]) {
        let count = 20_000
        let contexts = [GroupVocabularies.LabelContext](repeating: .init(titles: titles), count: count)
        let found = WordTally(groups: count).vocabularies()
            .labels(from: Array(repeating: [], count: count), contexts)
        #expect(Set(found).count == count)
        #expect(found.last == "\(titles.first ?? "texts without words") (\(count))")
    }

    @Test func `labels of the same parent do not differ by their last phrase only`() {
        var tally = WordTally(groups: 3)
        for group in 0..<3 { tally.add("text", to: group) }
        let phrases = ["accept", "pick", nil].map { last in
            ["visa", "card", last].compactMap(\.self).map { LabelPhrase($0) }
        }
        let contexts = ["Accepted cards", "Pick a card", "Two cards"].map {
            GroupVocabularies.LabelContext(titles: [$0])
        }
        let found = tally.vocabularies().labels(from: phrases, contexts)
        #expect(found == ["visa, card, accept", "Pick a card", "Two cards"])
    }

    @Test func `with meanings, a label has three specific phrases and the most central one`() {
        var tally = WordTally(groups: 2)
        for number in 0..<8 {
            tally.add("market shares profits business postgresql \(number)", to: 0)
            tally.add("sail \(number)", to: 1)
        }
        let vocabularies = tally.vocabularies()
        let phrases = vocabularies.labelPhrases(limit: 24)
        var context = GroupVocabularies.LabelContext()
        context.meanings = phrases[0].map { phrase in
            var meaning = PhraseMeaning(
                specificity: ["profits": 3, "market": 2, "shares": 1, "postgresql": 4][phrase.text] ?? 0,
                centrality: ["business": 2, "market": 1][phrase.text] ?? 0)
            meaning.isVariant = phrase.text == "postgresql"
            return meaning
        }
        #expect(
            vocabularies.labels(from: phrases, [context, .init()])[0] == "profits, market, shares, business")
    }
}

extension LabelPhrase {
    fileprivate init(_ text: String) {
        self.init(text: text, stem: text, spelling: text, weight: 1, lift: 2)
    }
}
