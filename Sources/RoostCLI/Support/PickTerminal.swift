import Foundation

/// Runs the list of `roost pick` on the terminal of standard input and standard error.
struct PickTerminal {
    /// The settings of the terminal before the list, which the handlers of signals restore.
    ///
    /// Unchecked because the compiler cannot see that only one list is shown at a time, and that the settings
    /// are written before a handler is installed. A handler cannot take a lock.
    nonisolated(unsafe) private static var settings = termios()

    /// Switches to the other screen of the terminal, and back.
    private static let enter = "\u{1B}[?1049h"
    private static let leave = "\u{1B}[?1049l\u{1B}[?25h"
    /// The time in milliseconds after which an escape character is the key Escape, and the size of the
    /// terminal is read again.
    private static let interval: Int32 = 100

    /// Whether a person at a terminal can see the list and press keys.
    static var isPossible: Bool {
        Confirmation.isPossible && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// Whether lines are styled.
    let isStyled: Bool
    /// A remark after the number of entries.
    let remark: String

    /// Shows the list until an item is chosen.
    ///
    /// - Parameter text: Returns the text of an item.
    /// - Returns: The chosen item; `nil` if the list was closed.
    /// - Throws: `CancellationError`; any error that `text` throws.
    func choose(from items: [PickItem], text: (PickItem) async throws -> String) async throws -> PickItem? {
        try start()
        defer { Self.restore() }
        var list = PickList(items)
        var reader = PickKeyReader()
        var shown: (id: UUID, text: String)?
        var lastDrawing = ""
        while true {
            try Task.checkCancellation()
            if let item = list.selected, shown?.id != item.id { shown = (item.id, try await text(item)) }
            let (columns, rows) = Self.size()
            let screen = PickScreen(columns: columns, rows: rows, isStyled: isStyled, remark: remark)
            let drawing = screen.drawing(of: list, text: list.selected == nil ? "" : shown?.text ?? "")
            if drawing != lastDrawing { Self.write(drawing) }
            lastDrawing = drawing
            guard let received = Self.read() else { return nil }
            for key in reader.keys(received, isPaused: received.isEmpty) {
                switch key {
                case .cancel: return nil
                case .accept:
                    if let item = list.selected { return item }
                default: list.apply(key)
                }
            }
        }
    }

    /// Makes the terminal pass on each key at once.
    private func start() throws {
        guard tcgetattr(STDIN_FILENO, &Self.settings) == 0 else {
            throw CommandError(.unavailable, "cannot read the keyboard: \(String(cString: strerror(errno)))")
        }
        for number in [SIGTERM, SIGHUP] {
            signal(number) { number in
                PickTerminal.restore()
                signal(number, SIG_DFL)
                raise(number)
            }
        }
        var raw = Self.settings
        cfmakeraw(&raw)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw)
        Self.write(Self.enter)
    }

    private static func restore() {
        write(leave)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    }

    private static func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(STDERR_FILENO, $0.baseAddress!, $0.count) }
            if count < 0, errno != EINTR { return }
            rest = rest.dropFirst(max(0, count))
        }
    }

    /// Returns the bytes of pressed keys; empty if none was pressed for some time, `nil` at the end.
    private static func read() -> [UInt8]? {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard poll(&input, 1, interval) > 0 else { return [] }
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = Foundation.read(STDIN_FILENO, &buffer, buffer.count)
        if count < 0, errno == EINTR { return [] }
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    private static func size() -> (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        // The last column stays empty: after a character in it, a terminal erases this character together
        // with the rest of the line.
        return (max(10, Int(size.ws_col) - 1), max(4, Int(size.ws_row)))
    }
}
