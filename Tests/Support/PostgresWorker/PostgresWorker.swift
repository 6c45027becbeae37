import Foundation
import RoostModel
import RoostPostgres
import RoostTestKit

/// An executable that lets tests use a store in PostgreSQL from another process: `postgres-worker STORE`, followed by
/// the arguments of `StorageJob`. `ROOST_TEST_POSTGRES` contains the URL of the server.
@main
enum PostgresWorker {
    static func main() async {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            guard let name = arguments.first, let job = StorageJob(arguments: Array(arguments.dropFirst())),
                let url = ProcessInfo.processInfo.environment["ROOST_TEST_POSTGRES"]
            else { exit(64) }
            var options = PostgresStorageProvider.Options()
            // On a busy machine, several processes that write without a pause can keep one of them waiting.
            options.lockTimeout = 600
            let store = try await PostgresStorageProvider(
                address: ConnectionSettings(url), name: name, options: options)
            try await job.run(on: store)
        } catch {
            // An error that leaves `main` would end the process with a signal, as a crash does.
            FileHandle.standardError.write(Data("postgres-worker: \(error)\n".utf8))
            exit(70)
        }
    }
}
