import RoostModel
import Testing

/// Tests of the dates that sentences name.
@Suite struct WrittenDateTests {
    @Test(arguments: [
        "Where did we walk on 3 March 2024?", "on March 3rd, 2024", "the 3rd March 2024", "date 2024-03-03",
        "3 mar 2024",
    ])
    func `a day is named in words and in digits`(text: String) {
        #expect(WrittenDate.dates(in: text) == [WrittenDate(year: 2024, month: 3, day: 3)])
    }

    @Test func `a month is named with a year or after a preposition`() {
        #expect(WrittenDate.dates(in: "what happened in May") == [WrittenDate(year: nil, month: 5, day: nil)])
        #expect(
            WrittenDate.dates(in: "in May 2023 or 2023-08") == [
                WrittenDate(year: 2023, month: 5, day: nil), WrittenDate(year: 2023, month: 8, day: nil),
            ])
        for text in ["may I march", "2023", "version 3.4", "", "in 7", "ISBN 2024-99"] {
            #expect(WrittenDate.dates(in: text).isEmpty, "\(text)")
        }
    }
}
