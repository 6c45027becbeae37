import RoostModel
import Testing

@Suite struct EntryConditionOperatorsTests {
    @Test func `operators create conditions`() {
        let filter: EntryFilter = [
            .metadata("year") >= 2020, .metadata("year") < 2030.5, .metadata("lang") == "de",
            .metadata("done") != true, .metadata("size") > 1, .metadata("size") <= 9, .tag("garden"),
            .source.hasPrefix("file:"), .metadata("draft").isMissing, .tag.exists,
            .metadata("kind").isOneOf(["note", 7]),
        ]
        #expect(
            filter.conditions == [
                EntryCondition(.metadata("year"), .isAtLeast("2020")),
                EntryCondition(.metadata("year"), .isLess("2030.5")),
                EntryCondition(.metadata("lang"), .equals("de")),
                EntryCondition(.metadata("done"), .differs("true")),
                EntryCondition(.metadata("size"), .isGreater("1")),
                EntryCondition(.metadata("size"), .isAtMost("9")), EntryCondition(.tag, .equals("garden")),
                EntryCondition(.source, .hasPrefix("file:")), EntryCondition(.metadata("draft"), .isMissing),
                EntryCondition(.tag, .exists), EntryCondition(.metadata("kind"), .isOneOf(["note", "7"])),
            ])
    }

    @Test func `an entry matches if all conditions are true`() {
        let entry = Entry(content: "Planting", metadata: ["year": 2021], tags: ["garden"])
        let matching: EntryFilter = [.metadata("year") >= 2020, .tag("garden")]
        let tooLate: EntryFilter = [.metadata("year") >= 2022, .tag("garden")]
        #expect(matching.matches(entry, assigned: nil))
        #expect(!tooLate.matches(entry, assigned: nil))
    }
}
