import Testing

@testable import RoostText

@Suite struct RegularFormsTests {
    private static func areRelated(_ first: String, _ second: String) -> Bool {
        RegularForms.areRelated(Array(first.utf8), Array(second.utf8))
    }

    @Test(arguments: [
        ("prefixes", "prefixed"), ("index", "indexes"), ("replies", "replied"), ("reply", "replied"),
        ("planned", "planning"), ("plan", "planned"), ("store", "storing"), ("stored", "stores"),
        ("tables", "table"), ("classes", "class"), ("boxes", "boxing"),
    ])
    func `regular forms of one word are related`(first: String, second: String) {
        #expect(Self.areRelated(first, second) && Self.areRelated(second, first))
    }

    @Test(arguments: [
        ("exampls", "examples"), ("exampl", "example"), ("postgrs", "postgres"), ("stord", "stored"),
        ("class", "clas"), ("plans", "plane"), ("s", "es"), ("", "ed"),
    ])
    func `misspelled words are not forms of a word`(first: String, second: String) {
        #expect(!Self.areRelated(first, second) && !Self.areRelated(second, first))
    }
}
