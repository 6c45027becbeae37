import Testing

@testable import RoostCLI

/// Tests of texts that a terminal shows.
@Suite struct TerminalTextTests {
    @Test func `line ends of Windows are line ends`() {
        #expect(TerminalText.safe("one\r\n\r\ntwo\r\n", keepingLines: true) == "one\n\ntwo\n")
        #expect(TerminalText.rendered("one\r\ntwo", keepingLines: true) == "one\ntwo")
    }

    @Test func `other carriage returns are replaced`() {
        #expect(TerminalText.safe("one\rtwo\r\r\n", keepingLines: true) == "one\u{FFFD}two\u{FFFD}\n")
        #expect(TerminalText.safe("one\r\ntwo") == "one\u{FFFD}\u{FFFD}two")
        #expect(TerminalText.safe("a\tb\u{1B}[2J", keepingLines: true) == "a\tb\u{FFFD}[2J")
    }
}
