import Foundation

struct FileDates: Sendable, Hashable {
    /// The date at which the file was created, or the date of its last change if that is earlier: copying a
    /// file, or saving it under a temporary name first, creates a new file with an old or equal date of
    /// change.
    var createdAt: Date
    /// The date of the last change.
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
