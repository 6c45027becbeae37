import Foundation
import Roost
import RoostFiles
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

    /// Whether standard output is a terminal with a UTF-8 locale.
    static let showsUnicode: Bool = {
        let environment = ProcessInfo.processInfo.environment
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        let encoding = (locale ?? "").lowercased()
        return isOutputTerminal && (encoding.contains("utf-8") || encoding.contains("utf8"))
    }()

    /// Writes a line to standard output.
    ///
    /// - Parameters:
    ///   - text: The line. Control characters in it are replaced, except styles.
    ///   - keepingLines: Whether the text may contain line feeds and tabs. Otherwise they are replaced too,
    ///     so that a name cannot forge a line of output.
    static func write(_ text: String, keepingLines: Bool = false) {
        writeBytes(Data((TerminalText.rendered(text, keepingLines: keepingLines) + "\n").utf8))
    }

    /// Writes a document: unchanged to files and pipes, without control characters to a terminal.
    static func write(_ document: Data) {
        guard isOutputTerminal else { return writeBytes(document) }
        writeBytes(Data(safe(String(decoding: document, as: UTF8.self), keepingLines: true).utf8))
    }

    private static func writeBytes(_ data: Data) {
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
            } else if !DescriptorReadiness.canRetry(after: errno, .writing, STDOUT_FILENO) {
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
    static var lineEncoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(DateText.string(from: date))
        }
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    /// An encoder that writes one member or element per line.
    static var prettyEncoder: JSONEncoder {
        let encoder = lineEncoder
        encoder.outputFormatting.insert(.prettyPrinted)
        return encoder
    }

    /// Writes a value as JSON and a line feed to standard output. Control characters are escaped.
    static func json(_ value: some Encodable, _ encoder: JSONEncoder = prettyEncoder) throws {
        writeBytes(try encoder.encode(value).escapingControlsInJSON() + Data("\n".utf8))
    }

    /// Returns a user's text on one line, shortened to at most `limit` characters and without control
    /// characters.
    static func line(_ text: String, limit: Int = 160) -> String { TerminalText.line(text, limit: limit) }

    /// Returns a user's text with control characters replaced: on a terminal, they could hide or forge
    /// output.
    ///
    /// - Parameter keepingLines: Whether to keep `\n` and `\t`.
    static func safe(_ text: String, keepingLines: Bool = false) -> String {
        TerminalText.safe(text, keepingLines: keepingLines)
    }

    /// Returns a similarity or score with three decimal places.
    static func score(_ value: Float) -> String { String(format: "%.3f", Double(value)) }
}
