import Foundation
import Roost

/// Opens a file at a line in the user's editor.
struct EditorCommand {
    /// The value of `$VISUAL` or `$EDITOR`: a program, possibly with options.
    let editor: String

    /// Creates the command from the environment.
    ///
    /// - Throws: ``CommandError`` if no editor is configured.
    init() throws {
        guard let editor = Self.configuredEditor else {
            throw CommandError(.usage, "cannot open the hit: no editor is configured; set $EDITOR")
        }
        self.editor = editor
    }

    /// The value of `$VISUAL` or, if it is missing or empty, `$EDITOR`; `nil` if neither is set.
    static var configuredEditor: String? {
        let environment = ProcessInfo.processInfo.environment
        return ["VISUAL", "EDITOR"].compactMap { environment[$0] }.first { !$0.isEmpty }
    }

    /// Editors that accept a line as `+LINE` before the file.
    private static let plusEditors: Set<String> = [
        "vi", "vim", "nvim", "view", "vimx", "gvim", "nano", "pico", "emacs", "emacsclient", "joe", "jed",
        "micro", "mg", "ne", "kak", "mcedit", "gedit", "vis",
    ]
    /// Editors that accept a line as `FILE:LINE` after the option `-g`.
    private static let gotoEditors: Set<String> = [
        "code", "code-insiders", "codium", "vscodium", "cursor", "windsurf",
    ]
    /// Editors that accept a line as `FILE:LINE`.
    private static let colonEditors: Set<String> = ["hx", "helix", "subl", "zed", "zeditor", "atom", "kate"]

    /// Returns the arguments that follow the editor and its options.
    ///
    /// - Parameters:
    ///   - path: An absolute path.
    ///   - line: The line to go to; `nil` for the beginning.
    func arguments(for path: String, line: Int?) -> [String] {
        let program = editor.split(separator: " ").first.map { $0.filter { !"'\"".contains($0) } } ?? ""
        let name = (program as NSString).lastPathComponent
        guard let line else { return [path] }
        if Self.plusEditors.contains(name) { return ["+\(line)", path] }
        if Self.gotoEditors.contains(name) { return ["-g", "\(path):\(line)"] }
        return [Self.colonEditors.contains(name) ? "\(path):\(line)" : path]
    }

    /// Replaces this process with the editor.
    ///
    /// If the editor does not exist, the process ends with the status `ExitStatus.unavailable`.
    ///
    /// - Throws: ``CommandError`` if the file does not exist or the shell cannot be started.
    func open(_ path: String, line: Int?) throws -> Never {
        guard FileManager.default.fileExists(atPath: path) else {
            throw CommandError(.noInput, "cannot open the hit: \(path) no longer exists")
        }
        // $EDITOR may contain options, so a shell splits it. The path is a separate argument: it never
        // becomes part of the script.
        let message =
            "roost: cannot open the hit: the editor '\(Terminal.line(editor, limit: 60))' was not found; set "
            + "$VISUAL or $EDITOR"
        let script = """
            message=$1; shift
            isFound() { command -v "$1" >/dev/null 2>&1; }
            isFound \(editor) || { printf '%s\\n' "$message" >&2; exit \(ExitStatus.unavailable.rawValue); }
            exec \(editor) "$@"
            """
        let arguments = ["sh", "-c", script, "sh", message] + arguments(for: path, line: line)
        var pointers = arguments.map { strdup($0) } + [nil]
        // The threads of libdispatch block signals, and this process ignores Ctrl-C; an editor needs both.
        var signals = sigset_t()
        sigemptyset(&signals)
        pthread_sigmask(SIG_SETMASK, &signals, nil)
        signal(SIGINT, SIG_DFL)
        execv("/bin/sh", &pointers)
        throw CommandError(.unavailable, "cannot start the editor: \(String(cString: strerror(errno)))")
    }
}
