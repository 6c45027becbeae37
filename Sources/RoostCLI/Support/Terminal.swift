import Foundation
import Roost
import RoostFiles
import RoostModel
import Synchronization

/// Writes results to standard output and everything else to standard error; styles text on terminals only.
enum Terminal {
    /// The maximum number of items, such as problems of a file, that a message lists.
    static let maximumListedItems = 20

    static let isOutputTerminal = isatty(STDOUT_FILENO) == 1
    static let isErrorTerminal = isatty(STDERR_FILENO) == 1
    enum ColorChoice: String, CaseIterable, Sendable {
        /// Output is styled if standard output is a terminal that understands styles, and `NO_COLOR` is not
        /// set.
        case auto
        case always
        case never
    }

    static let colorChoice = Mutex(ColorChoice.auto)

    private static var usesColor: Bool {
        switch colorChoice.withLock({ $0 }) {
        case .auto: usesColorByDefault
        case .always: true
        case .never: false
        }
    }

    private static let usesColorByDefault = isOutputTerminal && environmentPermitsColor

    /// Whether `NO_COLOR` is not set, and `TERM` does not name a terminal without styles.
    static let environmentPermitsColor: Bool = {
        let environment = ProcessInfo.processInfo.environment
        return (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }()

    /// The number of columns of the terminal on standard output; `nil` if standard output is not a terminal.
    static let columns: Int? = {
        guard isOutputTerminal else { return nil }
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        return ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? 80
    }()

    /// Writes a line to standard output.
    static func write(_ text: String, keepingLines: Bool = false) {
        writeBytes(Data((TerminalText.rendered(text, keepingLines: keepingLines) + "\n").utf8))
    }

    /// Writes a document: unchanged to files and pipes, without control characters to a terminal.
    static func write(_ document: Data) {
        guard isOutputTerminal else { return writeBytes(document) }
        let text = String(decoding: document, as: UTF8.self)
        writeBytes(Data(TerminalText.safe(text, keepingLines: true).utf8))
    }

    /// Writes bytes that a terminal shows as they are, such as JSON, in which control characters are escaped.
    static func writeBytes(_ data: Data) {
        // If the reader of a pipe exits, SIGPIPE ends this process without a message.
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(STDOUT_FILENO, $0.baseAddress!, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                // The parent process, or an HTTP client in this one, may have set the signal to be ignored.
                signal(SIGPIPE, SIG_DFL)
                raise(SIGPIPE)
            } else if !DescriptorReadiness.canRetry(after: errno, Int32(POLLOUT), STDOUT_FILENO) {
                let reason = String(cString: strerror(errno))
                Failure.exit(with: CommandError(.inputOutput, "cannot write the output: \(reason)"))
            }
        }
    }

    /// Writes a line to standard error. Control characters in it are replaced, except styles.
    static func error(_ text: String) {
        let line = TerminalText.rendered(text, keepingLines: false) + "\n"
        try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
    }

    static func bold(_ text: String) -> String { usesColor ? TerminalText.styled(text, .bold) : text }
    static func highlighted(_ text: String) -> String {
        usesColor ? TerminalText.styled(text, .highlight) : text
    }
    static func dim(_ text: String) -> String { usesColor ? TerminalText.styled(text, .dim) : text }

    /// An encoder that writes one value on one line, and dates in ISO 8601.
    static let lineEncoder = JSONTextEncoder(writesDatesAsText: true)

    /// An encoder that writes one member or element per line.
    static let prettyEncoder = JSONTextEncoder(isPretty: true, writesDatesAsText: true)

    /// Writes a value as JSON and a line feed to standard output. Control characters are escaped.
    static func json(_ value: some Encodable, _ encoder: JSONTextEncoder = prettyEncoder) throws {
        writeBytes(try encoder.encode(value) + Data("\n".utf8))
    }

    /// Returns a user's text on one line, shortened to at most `limit` characters and without control
    /// characters.
    static func line(_ text: String, limit: Int = 160) -> String { TerminalText.line(text, limit: limit) }

    /// Returns a similarity or score with three decimal places.
    static func score(_ value: Float) -> String { String(format: "%.3f", Double(value)) }
}

/// Removes everything from a text that a terminal would interpret instead of showing it.
///
/// Texts come from files, stores and servers. Control characters in them could move the cursor, change the
/// title or the clipboard, forge lines of output, or reorder text so that it reads differently.
/// ``Terminal`` passes all its output through ``rendered(_:keepingLines:)``.
enum TerminalText {
    enum Style: Character {
        case bold = "1"
        case dim = "2"
        case highlight = "3"

        var parameters: String {
            switch self {
            case .bold: "1"
            case .dim: "2"
            case .highlight: "1;33"
            }
        }
    }

    /// A number that no text can contain on purpose. It distinguishes the styles that this process adds from
    /// escape sequences in a text.
    private static let token = String(UInt64.random(in: .min ... .max), radix: 16)
    private static let mark = "\u{1B}\(token);"

    /// The maximum number of Unicode scalars in one character. Real characters have fewer; hundreds of
    /// combining marks would cover the lines above and below.
    private static let maximumScalarsPerCharacter = 16

    /// Returns a text with marks that ``rendered(_:keepingLines:)`` converts into escape sequences.
    static func styled(_ text: String, _ style: Style) -> String {
        "\(mark)\(style.rawValue)m\(text)\(mark)0m"
    }

    /// Returns a text with all control characters replaced, except the styles that this process added.
    static func rendered(_ text: String, keepingLines: Bool) -> String {
        let start = keepingLines ? text.startIndex : text.firstIndex { $0 != "\n" } ?? text.endIndex
        let parts = text[start...].components(separatedBy: mark)
        var result = text[..<start] + safe(parts[0], keepingLines: keepingLines)
        for part in parts.dropFirst() {
            // A part begins with the code of the style and an "m".
            let parameters = part.first.flatMap(Style.init(rawValue:))?.parameters ?? "0"
            result +=
                "\u{1B}[\(parameters)m" + safe(String(part.dropFirst(2)), keepingLines: keepingLines)
        }
        return String(result)
    }

    /// Returns a text with control characters replaced with U+FFFD, and without invisible characters.
    ///
    /// - Parameter keepingLines: Whether to keep `\n` and `\t`. A carriage return before `\n`, as in files of
    ///   Windows, is removed.
    static func safe(_ text: String, keepingLines: Bool = false) -> String {
        guard text.unicodeScalars.contains(where: { use(of: $0) != .shown }) else { return text }
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if keepingLines, scalar == "\r", rest.first == "\n" { continue }
            let isKept = keepingLines && (scalar == "\n" || scalar == "\t")
            switch use(of: scalar) {
            case .interpreted where !isKept: result.append("\u{FFFD}")
            case .invisible: break
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// Returns a text on one line, shortened to at most `limit` characters: white space and control
    /// characters are replaced with single spaces.
    static func line(_ text: String, limit: Int) -> String {
        var result: [UInt8] = []
        var count = 0
        var isSpace = false
        for character in text {
            if count >= limit { return String(decoding: result, as: UTF8.self) + "…" }
            let ascii = character.asciiValue.flatMap { 0x20 < $0 && $0 < 0x7F ? $0 : nil }
            let shown = ascii == nil ? character.unicodeScalars.filter { use(of: $0) == .shown } : []
            if ascii == nil, character.isWhitespace || shown.isEmpty {
                let isInvisible = character.unicodeScalars.allSatisfy { use(of: $0) == .invisible }
                isSpace = isSpace || !result.isEmpty && !isInvisible
                continue
            }
            if isSpace { result.append(UInt8(ascii: " ")) }
            isSpace = false
            if let ascii { result.append(ascii) }
            for scalar in shown.prefix(maximumScalarsPerCharacter) { result += String(scalar).utf8 }
            count += 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    private enum Use { case shown, interpreted, invisible }

    /// Returns what a terminal does with a character: it may interpret C0 and C1 controls, DEL, separators of lines and
    /// paragraphs, and controls of the direction of text. Invisible characters can hide text; those that mark the
    /// direction of single characters occur in ordinary texts.
    private static func use(of scalar: Unicode.Scalar) -> Use {
        switch scalar.value {
        case 0x20..<0x7F: .shown
        // U+206A to U+206F are deprecated controls of shaping and of digits.
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x206F: .interpreted
        // The soft hyphen, marks of the direction, the mark of the byte order, annotations, and tags.
        case 0xAD, 0x061C, 0x200E, 0x200F, 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE007F: .invisible
        default: .shown
        }
    }
}
