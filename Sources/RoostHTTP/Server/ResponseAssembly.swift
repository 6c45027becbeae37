import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import RoostMCP

/// Converts answers into responses of Hummingbird.
struct ResponseAssembly: Sendable {
    let settings: ServerSettings
    let channel: any Channel
    /// Called when a stream has ended, for whatever reason.
    let onStreamEnd: @Sendable () -> Void
    /// Receives the name of the problem when the connection is closed before the end of an answer, unless the
    /// client or the end of the server is the cause.
    let onFailure: @Sendable (_ code: String) -> Void

    /// The size of an answer that fits into the buffers of a socket, so that writing it does not wait for
    /// the client.
    private static let bufferedBytes = 64 << 10
    /// The time that a client has to read an answer before the rest of its request is discarded.
    private static let lingering = TimeAmount.seconds(2)

    /// Returns the response.
    ///
    /// - Parameter closing: Whether to close the connection after the response.
    func response(_ reply: Reply, closing: Bool) -> Response {
        var headers = reply.headers
        if closing { headers[.connection] = "close" }
        switch reply.body {
        case .none:
            if reply.status != .noContent, headers[.contentLength] == nil { headers[.contentLength] = "0" }
            let body = closing ? self.body(ByteBuffer(), closing: true) : ResponseBody()
            return Response(status: reply.status, headers: headers, body: body)
        case .bytes(let bytes, let type):
            headers[.contentType] = type
            let isBuffered = bytes.count <= Self.bufferedBytes && !closing
            let body =
                isBuffered
                ? ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
                : self.body(ByteBuffer(bytes: bytes), closing: closing)
            return Response(status: reply.status, headers: headers, body: body)
        case .stream(let type, let request, let write):
            headers[.contentType] = type
            return Response(status: reply.status, headers: headers, body: stream(write, request))
        }
    }

    /// Returns a body that closes the connection if the client does not read a part of it in time.
    private func body(_ buffer: ByteBuffer, closing: Bool) -> ResponseBody {
        ResponseBody(contentLength: buffer.readableBytes) { writer in
            let output = StreamOutput(writer)
            try await write(buffer, to: output)
            try await finish(output)
            if closing { closeSoon() }
        }
    }

    /// Closes the connection after a while. The client may still be sending. If the connection were closed at
    /// once, the operating system would discard the answer.
    private func closeSoon() {
        let channel = channel
        _ = channel.eventLoop.scheduleTask(in: Self.lingering) { channel.close(promise: nil) }
    }

    private func stream(
        _ write: @escaping @Sendable (StreamWriter) async throws -> Void, _ request: Request?
    ) -> ResponseBody {
        ResponseBody { writer in
            defer { onStreamEnd() }
            let output = StreamOutput(writer)
            let stream = StreamWriter { try await self.write($0, to: output) }
            do {
                if let request {
                    try await request.body.consumeWithCancellationOnInboundClose { _ in
                        try await write(stream)
                    }
                } else {
                    try await write(stream)
                }
                try await finish(output)
            } catch is StreamWriter.Completed {
                try await finish(output)
                closeSoon()
            } catch {
                // The head has been sent, so an error can only be reported by an incomplete body. A closed
                // channel needs no message: the client has gone, or the watchdog has closed it.
                if channel.isActive, !(error is CancellationError) { onFailure(Problem(error).code) }
                channel.close(promise: nil)
            }
        }
    }

    /// Writes bytes in parts, and closes the connection if the client does not read a part in time.
    ///
    /// A long answer over a slow connection takes longer than the limit, but each of its parts does not.
    ///
    /// A write returns before the event loop knows whether the socket takes more. Waiting for the event loop
    /// makes the next write wait for the client. Without this, the event loop would collect all parts of a
    /// long answer in memory.
    private func write(_ buffer: ByteBuffer, to output: StreamOutput) async throws {
        var buffer = buffer
        while let part = buffer.readSlice(length: min(buffer.readableBytes, Self.bufferedBytes)),
            part.readableBytes > 0
        {
            let watchdog = watchdog()
            defer { watchdog.cancel() }
            try await output.write(part)
            try await channel.eventLoop.submit {}.get()
        }
    }

    /// Ends an answer, and closes the connection if the client does not read its last part in time.
    private func finish(_ output: StreamOutput) async throws {
        let watchdog = watchdog()
        defer { watchdog.cancel() }
        try await output.finish()
    }

    private func watchdog() -> Scheduled<Void> {
        let (channel, onFailure) = (channel, onFailure)
        return channel.eventLoop.scheduleTask(in: TimeAmount(settings.limits.transferTime)) {
            onFailure("slowClient")
            channel.close(promise: nil)
        }
    }
}

/// The writer of an answer that is written in parts.
///
/// It is unchecked because Hummingbird's writers do not state that they are sendable. Only the task that
/// writes the answer uses it, one call at a time.
private final class StreamOutput: @unchecked Sendable {
    private var writer: any ResponseBodyWriter

    init(_ writer: any ResponseBodyWriter) { self.writer = writer }

    func write(_ buffer: ByteBuffer) async throws { try await writer.write(buffer) }

    func finish() async throws { try await writer.finish(nil) }
}
