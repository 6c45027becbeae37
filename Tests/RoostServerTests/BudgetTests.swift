import Foundation
import Roost
import RoostModel
import Testing

@testable import RoostServer

struct BudgetTests {
    /// The number of bytes per token by which budgets are estimated.
    private static let bytesPerToken = 3

    private func filled(_ count: Int) async throws -> (harness: MCPHarness, ids: [JSONValue]) {
        let harness = MCPHarness()
        let drafts = (0..<count).map { number in
            SourceDraft(
                id: "file:///\(String(repeating: "folder/", count: 15))\(number).md", fingerprint: "1",
                entries: [
                    EntryDraft(
                        content: "# Note \(number) about a common subject of all notes\n\ncommon word "
                            + String(repeating: "filler text ", count: 60))
                ])
        }
        _ = try await harness.store.ingest(drafts)
        var ids: [JSONValue] = []
        for try await entry in harness.store.entries() { ids.append(.string(entry.id.text)) }
        return (harness, ids)
    }

    @Test(arguments: [400, 1_000, 8_000])
    func `a page of a search stays within the budget`(budget: Int) async throws {
        let (harness, _) = try await filled(60)
        let page = await harness.call(
            "search", ["query": "common word", "limit": 50, "budget": .integer(Int64(budget))])
        #expect(page["results"]?.elements?.isEmpty == false)
        #expect(page.serialized().count <= budget * Self.bytesPerToken)
    }

    @Test func `the list of forget is cut, and the number of omitted entries is reported`() async throws {
        let (harness, ids) = try await filled(100)
        for budget in [300, 2_000] as [Int64] {
            let answer = await harness.call("forget", ["ids": .array(ids), "budget": .integer(budget)])
            let count = try #require(answer["entries"]?.elements?.count)
            #expect(count > 0 && answer["omitted"] == .integer(Int64(100 - count)))
            #expect(answer.serialized().count <= Int(budget) * Self.bytesPerToken)
        }
        let all = await harness.call("forget", ["ids": .array(Array(ids.prefix(3)))])
        #expect(all["entries"]?.elements?.count == 3 && all["omitted"] == nil)
        let removed = await harness.call(
            "forget", ["ids": .array(ids), "confirm": true, "budget": 300])
        #expect(removed["removed"] == 100)
    }
}
