import RoostText
import Testing

struct KeywordExtractorTests {
    func keywords(_ groups: [[String]], limit: Int = 5) -> [[String]] {
        var extractor = KeywordExtractor(groups: groups.count)
        for (group, texts) in groups.enumerated() {
            for text in texts { extractor.add(text, to: group, isRepresentative: true) }
        }
        return extractor.vocabularies().keywords(limit: limit)
    }

    @Test func `words that mostly occur together form one keyword`() {
        let found = keywords([
            (0..<20).map { "The neural network learns from example \($0). Neural networks are trained." },
            (0..<20).map { "The sourdough bread rises in oven \($0), and sourdough bread cools." },
        ])
        #expect(found[1].first == "sourdough bread")
        #expect(!found[1].contains("sourdough") && !found[1].contains("bread"))
        #expect(found[0].contains { $0.hasPrefix("neural network") })
        // The plural is not a separate keyword.
        #expect(found[0].count { $0.contains("network") } == 1)
    }

    @Test func `inflected forms of a keyword are skipped`() {
        let found = keywords([
            (0..<10).map { "Configure, configured, configuring, configures: compiler, compilers \($0)" },
            (0..<10).map { "boats, sail, sailing, sailed \($0)" },
        ])
        #expect(found[0].count { $0.contains("configur") } == 1)
        #expect(found[0].count { $0.contains("compiler") } == 1)
        #expect(found[1].count { $0.contains("sail") } == 1)
    }

    @Test func `inflected forms are skipped in the language of the texts, and parts of words too`() {
        let found = keywords(
            [
                ["Он пишет тест и код.", "Новые тесты на этом языке.", "Тест для кода, это не всё."],
                ["味噌汁を作る", "豆腐と味噌汁", "味噌汁の味"],
            ], limit: 10)
        #expect(found[0].count { $0.hasPrefix("тест") } == 1 && found[0].count { $0.hasPrefix("код") } == 1)
        #expect(found[1].contains("味噌汁") && !found[1].contains("噌汁"))
    }

    @Test func `words that most texts of all groups contain are not keywords in any language`() {
        let subjects = ["brot", "segel", "stern", "vogel", "wolke"]
        let found = keywords(
            subjects.map { subject in
                (0..<20).map { "der \(subject) und die \(subject)\($0) sind aber nicht der \(subject)" }
            })
        for (words, subject) in zip(found, subjects) {
            #expect(words.first == subject)
            #expect(
                !words.contains { ["der", "und", "die", "sind", "aber", "nicht"].contains($0) }, "\(words)")
        }
    }

    @Test func `a label consists of up to three keywords with at most five words`() {
        #expect(KeywordExtractor.label(of: []) == nil)
        #expect(KeywordExtractor.label(of: ["bread"]) == "bread")
        #expect(KeywordExtractor.label(of: ["bread", "oven", "dough", "flour"]) == "bread, oven, dough")
        #expect(
            KeywordExtractor.label(of: ["machine learning model", "neural network", "data"])
                == "machine learning model, neural network")
        #expect(
            KeywordExtractor.label(of: ["machine learning model", "deep neural network", "data", "graph"])
                == "machine learning model, data, graph")
    }

    @Test func `the keywords of a parent group come from the texts of its children`() {
        var extractor = KeywordExtractor(groups: 5)
        for (group, word) in ["bread", "cake", "sail", "keel"].enumerated() {
            let kind = group < 2 ? "oven" : "harbour"
            for number in 0..<10 { extractor.add("\(word) of the \(kind) \(number)", to: group) }
        }
        let found = extractor.vocabularies(parents: [4, 4, nil, nil, nil]).keywords(limit: 3)
        #expect(found[4].first == "oven")
        #expect(Set(found[4]).isSuperset(of: ["oven", "bread", "cake"]))
        #expect(found[0].first == "bread")
    }
}
