import RoostText
import Testing

@testable import Roost

@Suite struct LanguageNoticeTests {
    private var german: LanguageShares {
        var shares = LanguageShares()
        for _ in 0..<20 { shares.add("Die Mauersegler sind im Mai zurückgekehrt und nisten unter dem Dach.") }
        return shares
    }

    @Test func `texts in another language than the model are reported`() throws {
        let text = try #require(LanguageNotice.text(on: german, model: "all-MiniLM-L6-v2"))
        #expect(text.contains("German") && text.contains("all-MiniLM-L6-v2"))
        #expect(LanguageNotice.text(on: german, model: "multilingual-e5-small") == nil)
        #expect(LanguageNotice.text(on: LanguageShares(), model: "all-MiniLM-L6-v2") == nil)
    }

    @Test(arguments: [
        ("all-MiniLM-L6-v2", true), ("all-MiniLM-L6-v2:int8", true), ("bge-small-en-v1.5", true),
        ("lexical", false), ("paraphrase-multilingual-MiniLM-L12-v2", false), ("token-embeddings", false),
    ])
    func `English models are known by their names`(model: String, isEnglish: Bool) {
        #expect(LanguageNotice.isEnglish(model) == isEnglish)
    }
}
