import Foundation

/// Collects runs of entries into lists and writes the lists.
struct ListWriter {
    let writer: SegmentWriter
    private var records: [RunRecord] = []
    private var lists: [SegmentID] = []

    init(writer: SegmentWriter) { self.writer = writer }

    /// Adds a run, and writes the list if it ends after this run.
    mutating func add(_ record: RunRecord) async throws {
        records.append(record)
        if RunBoundaries.endsList(after: record, count: records.count) { try await write() }
    }

    /// Writes the last list and returns the ids of all lists.
    mutating func finish() async throws -> [SegmentID] {
        if !records.isEmpty { try await write() }
        return lists
    }

    private mutating func write() async throws {
        lists.append(try await writer.write(RunListCodec.encode(records), .list))
        records = []
    }
}
