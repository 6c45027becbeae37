import ArgumentParser
import Foundation
import Roost
import RoostChunks

struct ChunkExistence: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure existence checks of chunks in a Git-style folder, in one batch and one by one.")

    @Option(help: "The number of chunks in the folder; ten times as many are checked.") var chunks = 100_000

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "roost-chunks-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let organization = GitStyleOrganization()
        let names = (0..<10 * chunks).map { ChunkIdentifier(hashing: Data("\($0)".utf8)) }
        for name in names.prefix(chunks) {
            let url = folder.appendingPathComponent(organization.storagePath(for: name))
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            _ = FileManager.default.createFile(atPath: url.path, contents: Data("x".utf8))
        }
        let storage = ComposableFileSystemChunkStorage(baseURL: folder)
        var found = 0
        let batch = try await Material.seconds {
            found = await storage.existence?.chunkExists(identifiers: names).values.count { $0 } ?? 0
        }
        guard found == chunks else { throw ExitCode(70) }
        Material.line("\(names.count) checks in one batch", batch, "s")
        let single = try await Material.seconds {
            for name in names.prefix(chunks) { _ = try await storage.chunkExists(name) }
        }
        Material.line("\(chunks) single checks", single, "s")
    }
}
