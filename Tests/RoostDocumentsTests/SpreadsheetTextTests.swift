import Testing

@testable import RoostDocuments

@Suite struct SpreadsheetTextTests {
    @Test(arguments: [
        ("a_x000D_b", "a b"), ("a_x0007_b", "a b"),
        ("_x005F_x000D_", "_x000D_"), ("_xD83D_", "_xD83D_"),
        ("_x00e4_", "ä"), ("_x00G0_ _x000D", "_x00G0_ _x000D"), ("max_x_size_x", "max_x_size_x"),
    ])
    func `Escapes of characters in cells are decoded`(text: String, expected: String) {
        #expect(SpreadsheetText.decoded(text) == expected)
    }
}
