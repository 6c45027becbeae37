import Foundation
import Roost
import RoostMemory

/// The message about ingested files that contain exported conversations: as documents, each is one text with
/// all the fields of its format, while `roost chat import` stores each message.
enum ConversationNotice {
    /// The number of JSON files whose beginning is read.
    private static let maximumFiles = 200
    private static let headSize = 64 << 10

    /// Shows the message, if one of the first JSON files contains exported conversations.
    static func show(_ files: [URL], _ options: StoreOptions) {
        let candidates = files.lazy.filter { ["json", "jsonl"].contains($0.pathExtension.lowercased()) }
        let found = candidates.prefix(maximumFiles).filter { file in
            head(of: file).map(TranscriptReader.beginsExport) ?? false
        }
        guard let first = found.first else { return }
        let others = found.count > 1 ? " and \(found.count - 1) more" : ""
        options.note(
            "\(Terminal.line(first.path))\(others): exported conversations; `roost chat import` stores each "
                + "message as an entry, and `roost rm --source` removes the text of the file")
    }

    private static func head(of file: URL) -> Data? {
        guard let handle = try? FileHandle(forReadingFrom: file) else { return nil }
        defer { try? handle.close() }
        return try? handle.read(upToCount: headSize)
    }
}
