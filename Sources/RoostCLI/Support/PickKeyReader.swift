/// Converts the bytes of a terminal's keyboard into keys.
struct PickKeyReader {
    private var bytes: [UInt8] = []

    /// The keys of control characters, as in fzf and readline.
    private static let controls: [UInt8: PickKey] = [
        0x03: .cancel, 0x04: .cancel, 0x07: .cancel, 0x08: .backspace, 0x7F: .backspace, 0x0A: .down,
        0x0D: .accept, 0x0B: .up, 0x0E: .down, 0x10: .up, 0x15: .clear,
    ]
    /// The keys of the escape sequences that begin with `ESC [` or `ESC O`, by the bytes that follow.
    private static let sequences: [String: PickKey] = [
        "A": .up, "B": .down, "H": .first, "F": .last, "1~": .first, "4~": .last, "5~": .pageUp,
        "6~": .pageDown,
    ]

    /// Returns the keys whose bytes are complete.
    ///
    /// - Parameters:
    ///   - received: The bytes that were received after those of the last call.
    ///   - isPaused: Whether no byte has been received for some time, so that an escape character is a key.
    mutating func keys(_ received: [UInt8], isPaused: Bool = false) -> [PickKey] {
        bytes += received
        var keys: [PickKey] = []
        while let first = bytes.first {
            if first == 0x1B {
                guard let length = sequenceLength(isPaused: isPaused) else { break }
                let text = String(decoding: bytes[min(2, length)..<length], as: UTF8.self)
                if length == 1 { keys.append(.cancel) }
                if let key = Self.sequences[text] { keys.append(key) }
                bytes.removeFirst(length)
            } else if first < 0x20 || first == 0x7F {
                if let key = Self.controls[first] { keys.append(key) }
                bytes.removeFirst()
            } else {
                let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
                guard bytes.count >= length || isPaused else { break }
                let text = String(validating: bytes.prefix(length), as: UTF8.self)
                bytes.removeFirst(text == nil ? 1 : length)
                keys += (text ?? "").map(PickKey.character)
            }
        }
        return keys
    }

    /// Returns the number of bytes of the escape sequence with which the bytes begin; 1 for the key Escape,
    /// `nil` if more bytes are necessary.
    private func sequenceLength(isPaused: Bool) -> Int? {
        guard bytes.count > 1 else { return isPaused ? 1 : nil }
        if bytes[1] == UInt8(ascii: "O") { return bytes.count > 2 || isPaused ? min(3, bytes.count) : nil }
        // Alt and a key is sent as the escape character and the key.
        guard bytes[1] == UInt8(ascii: "[") else { return bytes[1] == 0x1B ? 1 : 2 }
        let final = bytes.dropFirst(2).firstIndex { (0x40...0x7E).contains($0) }
        return final.map { $0 + 1 } ?? (isPaused ? bytes.count : nil)
    }
}
