import Foundation
import TestSupport
import Testing

@Suite(.temporaryFolders)
struct MemoryImportTests {
    private static let graph = """
        {"type":"entity","name":"Ana","entityType":"person","observations":["plays the cello","lives in Porto"]}
        {"type":"entity","name":"Porto","entityType":"city","observations":[]}
        {"type":"relation","from":"Ana","to":"Porto","relationType":"lives in"}
        {"type":"relation","from":"Ana","to":"Nobody","relationType":"knows"}

        """

    @Test func `entities of a memory server become entries with links`() throws {
        let driver = CommandLineDriver()
        let store = driver.home.path + "/store"
        try FileManager.default.createDirectory(at: driver.home, withIntermediateDirectories: true)
        let file = driver.home.appendingPathComponent("memory.jsonl")
        try Data(Self.graph.utf8).write(to: file)
        let first = try driver.roost("import", "--store", store, file.path)
        #expect(first.status == 0, "\(first.error)")
        #expect(first.output.contains("2 new, 0 updated, 0 unchanged, 0 removed; 1 relation"))
        #expect(first.error.contains("skipped 1 relation "))
        let linked = try driver.roost("list", "--store", store, "--where", "links = Porto", "--json")
        #expect(linked.output.contains("plays the cello"))
        // A second import changes nothing; one without an entity removes it.
        let second = try driver.roost("import", "--store", store, file.path)
        #expect(second.output.contains("0 new, 0 updated"))
        #expect(second.output.contains("0 removed"))
        let rest = Self.graph.split(separator: "\n").filter { !$0.contains("\"name\":\"Porto\"") }
        try Data(rest.joined(separator: "\n").utf8).write(to: file)
        #expect(try driver.roost("import", "--store", store, file.path).output.contains("1 removed"))
    }

    @Test func `a faulty line is named and nothing is imported`() throws {
        let driver = CommandLineDriver()
        let outcome = try driver.roost(
            ["import", "--store", driver.home.path + "/store", "-"],
            input: Self.graph + "{\"type\":\"other\"}\n")
        #expect(outcome.status == 65)
        #expect(outcome.error.contains("line 5"))
        #expect(!FileManager.default.fileExists(atPath: driver.home.path + "/store"))
    }
}
