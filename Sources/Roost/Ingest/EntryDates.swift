import Foundation
import RoostModel

/// The dates that a source gives to one of its entries.
struct EntryDates: Sendable, Hashable {
    /// The dates that the text states.
    private let created: Date?
    private let updated: Date?
    /// The dates of the file, which apply if the text states none.
    private let file: FileDates?

    init(of draft: EntryDraft) {
        func accepted(_ date: Date?) -> Date? {
            // A store rejects dates that cannot be written.
            date.flatMap { $0.isWritable ? $0.wholeMilliseconds : nil }
        }
        (created, updated) = (accepted(draft.createdAt), accepted(draft.updatedAt))
        file = draft.fileDates
    }

    /// Sets the dates of an entry that is new to the store.
    func apply(to entry: inout Entry) {
        let now = Date()
        let updated = updated ?? file?.updatedAt
        entry.createdAt = created ?? min(file?.createdAt ?? updated ?? now, updated ?? now)
        entry.updatedAt = self.updated ?? max(updated ?? entry.createdAt, entry.createdAt)
    }

    /// The date that the text states takes precedence. The date of the file is used only if it is earlier
    /// than the stored date, because editors replace a file when they save it.
    func applyCreation(to entry: inout Entry, replacing old: Entry) {
        entry.createdAt = created ?? file.map { min($0.createdAt, old.createdAt) } ?? old.createdAt
    }

    /// Sets the date of the last change of an entry whose contents differ from the stored ones.
    func applyChange(to entry: inout Entry) {
        entry.updatedAt = updated ?? max(file?.updatedAt ?? Date(), entry.createdAt)
    }

    /// Whether the text states a date of its last change that differs from that of a stored entry.
    func statesOtherChange(than old: Entry) -> Bool {
        updated.map { $0 != old.updatedAt } ?? false
    }
}

struct FileDates: Sendable, Hashable {
    /// The date at which the file was created, or the date of its last change if that is earlier: copying a
    /// file, or saving it under a temporary name first, creates a new file with an old or equal date of
    /// change.
    var createdAt: Date
    var updatedAt: Date

    init(createdAt: Date, updatedAt: Date) {
        self.createdAt = min(createdAt, updatedAt)
        self.updatedAt = updatedAt
    }

    /// Reads the dates of a file; `nil` if the file does not exist.
    init?(of url: URL) {
        // Without the dates, an entry has the dates of its ingest. Reading the file reports the cause.
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: url.path),
            let updated = attributes[.modificationDate] as? Date
        else { return nil }
        self.init(createdAt: attributes[.creationDate] as? Date ?? updated, updatedAt: updated)
    }
}
