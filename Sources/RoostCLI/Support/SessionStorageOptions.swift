import ArgumentParser
import Foundation
import Roost
import RoostConversations

/// The option that selects the session storage of another program.
struct SessionStorageOptions: ParsableArguments {
    @Option(
        name: .customLong("in"),
        help: ArgumentHelp(
            "Use the sessions of another program instead of the store: a database of SQLiteSessionStorage "
                + "or a folder of FileSessionStorage.", valueName: "PATH"))
    var path: String?

    /// Throws an error if filters for the store are combined with `--in`.
    func requireNoFilters(_ filters: ChatFilterOptions) throws {
        guard path == nil || filters.isEmpty else {
            throw ValidationError(
                "--in cannot be combined with --user, --session, --agent, --since or --until")
        }
    }

    /// Throws an error if a user is combined with `--in`.
    func requireNoUser(_ user: String?) throws {
        guard path == nil || user == nil else {
            throw ValidationError("--in cannot be combined with --user")
        }
    }

    /// Opens the storage that `--in` names.
    ///
    /// - Returns: `nil` if `--in` is not given.
    func open() throws -> (any SessionStorageProtocol & MaintainedStorage<String> & Sendable)? {
        try path.map { try Self.open($0) }
    }

    /// Opens the storage at a path, and reports unreadable sessions on standard error.
    ///
    /// - Parameter creates: Whether to create the storage if it does not exist.
    static func open(
        _ path: String, creates: Bool = false
    ) throws -> any SessionStorageProtocol & MaintainedStorage<String> & Sendable {
        let location = SessionStorageLocation(URL(fileURLWithPath: path))
        return try location.open(creates: creates) { damage in
            Terminal.error(
                "skipped an unreadable session: \(Terminal.line(damage.location, limit: 300)); run "
                    + "`roost chat doctor` for details")
        }
    }

    /// Returns the session whose id equals the given text or begins with it.
    ///
    /// - Throws: ``RoostError`` with `.notFound` if no session or more than one session matches, or with
    ///   `.badInput` if the session is damaged.
    static func session(
        _ beginning: String, of storage: any SessionStorageProtocol & MaintainedStorage<String>,
        in path: String
    ) async throws -> StoredSession {
        let sessions = try await storage.getAllSessions()
        // Damaged sessions are considered too; otherwise, the text could select a different session by
        // mistake.
        let damaged = try await storage.damage().compactMap(\.subject)
        let ids = sessions.map(\.id) + damaged
        let exact = ids.filter { $0.utf8.elementsEqual(beginning.utf8) }
        let found =
            exact.isEmpty
            ? ids.filter { !beginning.isEmpty && $0.utf8.starts(with: beginning.utf8) } : exact
        let shown = Terminal.line(beginning, limit: 60)
        guard let id = found.first else {
            let advice = Suggestion.clause(
                for: beginning, among: ids,
                else: "run `roost chat list --in \(Terminal.line(path))` to list the sessions")
            throw RoostError(.notFound, "no session is called '\(shown)'; \(advice)")
        }
        guard found.count == 1 else {
            throw RoostError(
                .notFound, "\(found.count) sessions begin with '\(shown)'; give more of the name")
        }
        guard let session = sessions.first(where: { $0.id.utf8.elementsEqual(id.utf8) }) else {
            throw RoostError(
                .badInput,
                "cannot read the session '\(Terminal.line(id, limit: 60))': it is damaged; run `roost "
                    + "chat doctor \(Terminal.line(path)) --repair` to set the damaged data aside")
        }
        return session
    }
}
