import CCurl
import Foundation
import Synchronization

/// The thread on which all calls run, with libcurl's multi interface.
final class TransferThread: Sendable {
    static let shared = TransferThread()

    private let added = Mutex<[Transfer]>([])
    /// The handle of libcurl. Only the thread uses it, except for `curl_multi_wakeup`, which every thread may
    /// call.
    nonisolated(unsafe) private let handle = curl_multi_init()

    /// The maximum wait in milliseconds. A new or canceled call ends it.
    private static let maximumWait = 600_000

    private init() {
        let thread = Thread { [self] in serve() }
        thread.name = "roost.network"
        thread.start()
    }

    func run(_ transfer: Transfer) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                transfer.continuation = continuation
                added.withLock { $0.append(transfer) }
                curl_multi_wakeup(handle)
            }
        } onCancel: {
            transfer.cancel()
            curl_multi_wakeup(handle)
        }
    }

    /// Runs calls for the rest of the process's life.
    private func serve() {
        // A write to a connection that the server has closed must not end the process.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        var active: [UnsafeMutableRawPointer: Transfer] = [:]
        while true {
            for transfer in takeAdded() { begin(transfer, &active) }
            var count: Int32 = 0
            curl_multi_perform(handle, &count)
            finishCompleted(&active)
            for transfer in active.values {
                guard let error = transfer.interruption else { continue }
                remove(transfer, from: &active)
                transfer.finish(throwing: error)
            }
            let wait = active.values.map(\.remaining).min().map(Transfer.milliseconds)
            let result = curl_multi_poll(handle, nil, 0, Int32(min(wait ?? .max, Self.maximumWait)), nil)
            // Without a pause, an error that persists would occupy a core.
            if result != CURLM_OK { usleep(10_000) }
        }
    }

    private func takeAdded() -> [Transfer] {
        added.withLock { added in
            defer { added = [] }
            return added
        }
    }

    private func begin(_ transfer: Transfer, _ active: inout [UnsafeMutableRawPointer: Transfer]) {
        transfer.begin()
        if let error = transfer.interruption { return transfer.finish(throwing: error) }
        guard curl_multi_add_handle(handle, transfer.handle) == CURLM_OK else {
            return transfer.finish(throwing: NetworkFailure(.other, "libcurl cannot start the call"))
        }
        active[transfer.handle] = transfer
    }

    private func finishCompleted(_ active: inout [UnsafeMutableRawPointer: Transfer]) {
        var count: Int32 = 0
        while let message = curl_multi_info_read(handle, &count) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
                let transfer = active[easy]
            else { continue }
            let result = roost_curl_result(message)
            remove(transfer, from: &active)
            transfer.finish(result)
        }
    }

    private func remove(_ transfer: Transfer, from active: inout [UnsafeMutableRawPointer: Transfer]) {
        curl_multi_remove_handle(handle, transfer.handle)
        active[transfer.handle] = nil
    }
}
