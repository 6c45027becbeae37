import RoostModel
import Testing

@Suite struct TagNameTests {
    @Test(arguments: [
        ("Garden", "garden"), ("Caf\u{E9}", "CAFE\u{301}"),
        ("\u{212B}", "a\u{30A}"),
        ("two  words", " Two\twords\n"), ("a/b/", "A/B"), ("a\0b", "a b"), ("I", "i"), ("/", "/"),
    ])
    func `tags that differ in case, normalization or white space have the same name`(
        first: String, second: String
    ) {
        #expect(TagName(first) == TagName(second))
        #expect(TagName(first).hashValue == TagName(second).hashValue)
        #expect(TagName(first).includes(TagName(second)) && TagName(second).includes(TagName(first)))
        #expect(TagName(TagName(first).text) == TagName(first))
    }

    @Test(arguments: [
        ("cafe", "caf\u{E9}"), ("\u{131}", "i"), ("a/b", "ab"), ("garden", "gardens"), ("a b", "ab"),
        ("#a", "a"), ("a", ""),
    ])
    func `other tags have different names`(first: String, second: String) {
        #expect(TagName(first) != TagName(second))
    }

    @Test func `a tag includes the tags that are nested in it`() {
        let garden = TagName("Garden")
        for tag in ["garden", "garden/herbs", "GARDEN/Herbs/Mint"] { #expect(garden.includes(TagName(tag))) }
        for tag in ["gardening", "my/garden", "gar", ""] { #expect(!garden.includes(TagName(tag))) }
        #expect(TagName("cafe\u{301}").includes(TagName("caf\u{E9}/1")))
        #expect(!TagName("").includes(TagName("/a")))
        #expect(!TagName("garden/herbs").includes(garden))
    }

    @Test func `a stored tag is one line, and has one spelling`() {
        #expect(TagName.spelling(of: " two\r\n words\u{0} ") == "two words")
        #expect(TagName.spelling(of: "\u{A0}\t") == nil)
        #expect(TagName.distinct(["Birds", "birds", "", " ", "a\nb"]) == ["Birds", "a b"])
        #expect(TagName.adding(["BIRDS", "new", "New"], to: ["birds"]) == ["birds", "new"])
        for tag in ["a\nb", "a\u{1B}", "\u{2028}a", "", "  "] { #expect(!TagName.isValid(tag)) }
        #expect(TagName.isValid("two words"))
    }

    @Test func `filters and conditions find nested tags in any case`() {
        let entry = Entry(content: "mint", tags: ["Garden/Herbs"])
        for tag in ["garden", "GARDEN/herbs"] {
            #expect(EntryFilter(tags: [tag]).matches(entry, assigned: nil))
            let filter: EntryFilter = [.tag(tag)]
            #expect(filter.matches(entry, assigned: nil))
            let other: EntryFilter = [.tag != .string(tag)]
            #expect(!other.matches(entry, assigned: nil))
        }
        #expect(!EntryFilter(tags: ["garden/herbs/mint"]).matches(entry, assigned: nil))
        let prefix: EntryFilter = [.tag.hasPrefix("garden/h")]
        #expect(prefix.matches(entry, assigned: nil))
        let nested: EntryFilter = [.tag.hasPrefix("gard/")]
        #expect(!nested.matches(entry, assigned: nil))
    }
}
