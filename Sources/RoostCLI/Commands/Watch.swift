import ArgumentParser
import Foundation
import Roost

struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Keep the store up to date with the remembered folders until Ctrl-C.",
        discussion: """
            A saved file can be found within a second. Changes to the list of remembered folders take effect \
            at once. Where `roost sync` would ask for confirmation, `roost watch` keeps the entries.

            On Linux, each folder needs an inotify watch (fs.inotify.max_user_watches). If the limit is too \
            low, Roost scans all folders every few seconds instead.

            Examples:
              roost add-folder ~/notes
              roost watch
            """)

    @OptionGroup var options: StoreOptions

    /// The time in seconds after which Ctrl-C ends the process even if a step of the sync has not ended. A
    /// commit is atomic, so this is safe.
    private static let maximumDelay = 0.7

    func run() async throws {
        let store = try await options.open()
        _ = try options.trustedFolders(of: store)
        let status = WatchStatus(isQuiet: options.quiet)
        let options = options
        var watchOptions = WatchOptions()
        watchOptions.onEvent = { status.show($0) }
        watchOptions.check = { try options.requireTrust(in: $0) }
        watchOptions.willRemove = { count in
            if count >= StoreBackup.minimumRemovalsForBackup { try await options.backUpFirst() }
        }
        watchOptions.onIdle = { await options.refreshIndex(of: store) }
        do {
            try await withTaskCancellationHandler {
                try await store.watchFolders(watchOptions)
            } onCancel: {
                DispatchQueue.global().asyncAfter(deadline: .now() + Self.maximumDelay) {
                    status.finish()
                    Foundation.exit(ExitStatus.interrupted.rawValue)
                }
            }
        } catch is CancellationError {
            status.finish()
            try? await store.close()
            throw CommandError(.interrupted, "stopped watching")
        }
    }
}
