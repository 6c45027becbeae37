import Foundation
import Roost

/// Frees unused space of a store: `roost doctor --compact`.
struct Compaction {
    let options: StoreOptions
    /// The new maximum size as an argument; `nil` keeps the present one.
    let maximumSize: String?

    func run() async throws {
        let location = try options.location()
        let limit = try maximumSize.map { try ByteCount.parse($0, option: "--max-size") }
        if try StoreManifest.read(in: location).provider == .postgres { return try await runOnServer() }
        let isRaised = try limit.map { try $0 ?? .max >= StoreManifest.presentSize(in: location) } ?? false
        if let limit, isRaised { try StoreManifest.setMaximumSize(limit, in: location) }
        let store = try await options.open()
        let before = try StoreManifest.presentSize(in: location)
        try await Progress(isQuiet: options.quiet).during("compacting \(ByteCount.text(before))") {
            try await store.compact()
        }
        try await store.close()
        let after = try StoreManifest.presentSize(in: location)
        if let limit, !isRaised {
            guard after <= limit ?? .max else {
                throw CommandError(
                    .usage,
                    "cannot set the maximum size: the store already takes \(ByteCount.text(after)); remove "
                        + "entries first")
            }
            try StoreManifest.setMaximumSize(limit, in: location)
        }
        Terminal.write("\(ByteCount.text(before)) before, \(ByteCount.text(after)) now")
    }

    private func runOnServer() async throws {
        guard maximumSize == nil else {
            throw CommandError(
                .usage, "a store in PostgreSQL has no maximum size; limit the database on the server")
        }
        let store = try await options.open()
        try await Progress(isQuiet: options.quiet).during("compacting") { try await store.compact() }
        try await store.close()
        Terminal.write("deleted superseded data; the server reuses its space after the next vacuum")
    }
}
