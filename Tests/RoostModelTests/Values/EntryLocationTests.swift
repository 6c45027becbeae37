import Foundation
import RoostModel
import Testing

struct EntryLocationTests {
    @Test func `the line of a byte depends on the kind of source`() {
        var entry = Entry(content: "one\ntwo\nthree", source: "file:///a", key: EntryID.wholeFileKey)
        #expect(entry.sourceLine(ofByte: 9) == nil)
        entry.location = EntryLocation(line: 1)
        #expect(entry.sourceLine(ofByte: 0) == 1 && entry.sourceLine(ofByte: 4) == 2)
        // A row of JSON Lines is one line, whatever its text contains.
        entry.location = EntryLocation(line: 7, lastLine: 7)
        #expect(entry.sourceLine(ofByte: 9) == 7)
        // A quoted field of a table begins after the first line of its row.
        entry.location = EntryLocation(line: 7, lastLine: 8)
        #expect(entry.sourceLine(ofByte: 4) == 8 && entry.sourceLine(ofByte: 9) == 8)
        entry.location = EntryLocation(page: 3)
        #expect(entry.sourceLine(ofByte: 0) == nil)
        (entry.location, entry.key) = (nil, "id:1")
        #expect(entry.sourceLine(ofByte: 0) == nil)
    }

    @Test func `locations are part of an entry's equality and JSON`() throws {
        var entry = Entry(content: "a")
        let plain = try JSONEncoder().encode(entry)
        #expect(!String(decoding: plain, as: UTF8.self).contains("location"))
        let without = entry
        entry.location = EntryLocation(line: 2, lastLine: 4, page: 3, headings: ["e\u{301}"])
        #expect(entry != without)
        let decoded = try JSONDecoder().decode(Entry.self, from: try JSONEncoder().encode(entry))
        #expect(decoded == entry && decoded.location == entry.location)
        var other = entry
        other.location?.headings = ["é"]
        #expect(other != entry)
    }

    @Test(
        arguments: [
            EntryLocation(line: 0), EntryLocation(line: -1), EntryLocation(page: 0),
            EntryLocation(lastLine: 2),
            EntryLocation(line: 3, lastLine: 2), EntryLocation(line: .max),
        ])
    func `numbers out of range are rejected`(location: EntryLocation) {
        let entry = Entry(content: "a", location: location)
        let error = #expect(throws: StorageError.self) { try WriteBatch(upserts: [entry]).validate() }
        #expect(error?.code == .invalidBatch)
    }
}
