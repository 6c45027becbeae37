import RoostBackups

/// The output for a snapshot, as JSON or as one line of text.
struct BackupDocument: Encodable {
    var id: String
    var created: String
    var tags: [String]
    var stamp: Stamp
    var sources: Int
    /// The number of original files that are stored byte for byte.
    var documents: Int
    var documentBytes: Int
    var writtenBytes: Int?

    init(_ snapshot: BackupSnapshot, written: Int? = nil) {
        id = snapshot.id
        created = DateText.string(from: snapshot.created)
        tags = snapshot.tags
        stamp = snapshot.stamp
        sources = snapshot.sourceCount
        documents = snapshot.originalCount
        documentBytes = snapshot.originalBytes
        writtenBytes = written
    }

    /// The minimum width of a terminal on which the minute of a snapshot is shown.
    private static let minimumWidth = 45
    private static let isNarrow = Terminal.columns.map { $0 < minimumWidth } ?? false

    /// The columns of lists of snapshots.
    static let columns = [
        EntryRow.idColumn,
        // Tables show the minute, or only the day if the terminal has no space for it.
        TableColumn(name: "created", shownLength: isNarrow ? 10 : 16),
        TableColumn(name: "entries", isNumber: true), TableColumn(name: "clusters", isNumber: true),
        TableColumn(name: "tags", style: .dim, isFlexible: true),
    ]

    var row: ListRow {
        ListRow(
            cells: [
                id, created, "\(stamp.entryCount)", "\(stamp.clusterCount)",
                tags.map { Terminal.line($0, limit: 40) }.joined(separator: ", "),
            ], document: self)
    }

    var line: String {
        "\(id.prefix(8))  \(created)  \(Count.text(stamp.entryCount, "entry", "entries")), "
            + Count.text(stamp.clusterCount, "cluster")
            + (tags.isEmpty
                ? "" : "  " + Terminal.dim(tags.map { Terminal.line($0, limit: 40) }.joined(separator: ", ")))
    }
}
