/// Text that a program wrote for a terminal.
enum TerminalOutput {
    private static let escape: UInt8 = 0x1B
    private static let bell: UInt8 = 0x07
    private static let carriageReturn: UInt8 = 0x0D
    private static let lineFeed: UInt8 = 0x0A

    /// Returns the text that a terminal shows: without the sequences that set colors or move the cursor
    /// (ECMA-48), and of each line only the part after its last carriage return, which is the last state of a
    /// progress bar.
    static func visibleText(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == escape || $0 == carriageReturn }) else { return text }
        var rest = Array(text.utf8)[...]
        var output: [UInt8] = []
        output.reserveCapacity(rest.count)
        var lineStart = 0
        var isAfterReturn = false
        while let byte = rest.popFirst() {
            switch byte {
            case escape: skipSequence(&rest)
            case carriageReturn: isAfterReturn = true
            case lineFeed:
                output.append(byte)
                lineStart = output.count
                isAfterReturn = false
            default:
                if isAfterReturn { output.removeSubrange(lineStart...) }
                isAfterReturn = false
                output.append(byte)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Skips the rest of a sequence after its escape character. A sequence that is not complete ends before
    /// the first byte that cannot belong to it.
    private static func skipSequence(_ bytes: inout ArraySlice<UInt8>) {
        switch bytes.first {
        case UInt8(ascii: "["):
            bytes = bytes.dropFirst().drop { (0x20...0x3F).contains($0) }
            if let final = bytes.first, (0x40...0x7E).contains(final) { bytes.removeFirst() }
        case UInt8(ascii: "]"):
            // A command such as a title or a link ends with a bell or with ESC \.
            bytes = bytes.dropFirst().drop { $0 != bell && $0 != escape && $0 != lineFeed }
            if bytes.first == bell { bytes.removeFirst() }
            if bytes.starts(with: [escape, UInt8(ascii: "\\")]) { bytes.removeFirst(2) }
        case .some(0x20...0x7E):
            bytes = bytes.drop { (0x20...0x2F).contains($0) }
            if let final = bytes.first, (0x30...0x7E).contains(final) { bytes.removeFirst() }
        default: break
        }
    }
}
