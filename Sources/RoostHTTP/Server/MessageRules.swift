import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1

/// Applies rules of HTTP that need more than the parsed request: it answers old clients in their version,
/// asks for bodies that clients hold back, takes the host from the target of a request that names one, and
/// describes why the head of a request could not be read.
///
/// The event loop of the channel calls all functions.
final class MessageRules: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The event that a server triggers before it reads the body of the request that it answers.
    struct BodyAcceptance: Sendable {}

    private struct Message {
        /// Whether the client knows only HTTP/1.0.
        var isOld: Bool
        /// Whether the client waits for permission to send the body.
        var isHeldBack: Bool
    }

    /// The time that an old client has to close the connection after its answer.
    private static let lingering = TimeAmount.seconds(2)

    /// The requests whose answers have not ended, oldest first.
    private var messages = CircularBuffer<Message>()
    private var isClosing = false
    /// Whether the head of a request was read, but not yet its end.
    private var isInRequest = false
    /// Whether an answer has announced that it is the last one.
    private var hasEnded = false
    /// The error because of which the head of a request could not be read.
    private var headError: HTTPParserError?

    // MARK: Requests

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if headError == nil, !isInRequest { headError = error as? HTTPParserError }
        context.fireErrorCaught(error)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        switch unwrapInboundIn(data) {
        case .head(var head):
            isInRequest = true
            let isOld = (head.version.major, head.version.minor) < (1, 1)
            let expectations = head.headers[canonicalForm: "expect"]
            messages.append(
                Message(
                    isOld: isOld,
                    isHeldBack: !isOld && expectations.contains { $0.lowercased() == "100-continue" }))
            // RFC 9112, section 3.2.2: the target takes precedence over the field.
            if let authority = Self.authority(ofTarget: head.uri), head.headers["host"].count == 1 {
                head.headers.replaceOrAdd(name: "Host", value: authority)
            }
            context.fireChannelRead(wrapInboundOut(.head(head)))
        case .body:
            setSent()
            context.fireChannelRead(data)
        case .end:
            setSent()
            isInRequest = false
            isClosing = messages.last?.isOld == true
            context.fireChannelRead(data)
        }
    }

    private func setSent() {
        guard !messages.isEmpty else { return }
        messages[messages.index(before: messages.endIndex)].isHeldBack = false
    }

    /// Returns the authority of a target that is a URL; `nil` for a path.
    static func authority(ofTarget target: String) -> String? {
        guard !target.hasPrefix("/"), let start = target.firstRange(of: "://") else { return nil }
        return String(target[start.upperBound...].prefix { !"/?#".contains($0) })
    }

    // MARK: Answers

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        guard event is BodyAcceptance else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        if messages.first?.isHeldBack == true {
            messages[messages.startIndex].isHeldBack = false
            let head = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
        }
        promise?.succeed()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head where messages.isEmpty:
            if let headError, !hasEnded {
                writeProblem(Problem(unreadableHead: headError), context: context, promise: promise)
            } else {
                // The request was answered before the rest of its body turned out to be invalid.
                promise?.succeed()
            }
            closeSoon(context)
        case .end where messages.isEmpty && (headError == nil || hasEnded): promise?.succeed()
        case .head(var head) where messages.first?.isOld == true:
            // The encoder does not use chunks in this version, so only the end of the connection can mark the
            // end of a body without a length.
            head.version = .http1_0
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            hasEnded = true
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .head(let head):
            hasEnded = head.headers[canonicalForm: "connection"].contains("close")
            context.write(data, promise: promise)
        case .end:
            guard messages.popFirst()?.isOld == true else {
                return context.write(data, promise: promise)
            }
            let (channel, written) = (context.channel, context.eventLoop.makePromise(of: Void.self))
            written.futureResult.cascade(to: promise)
            written.futureResult.whenComplete { _ in
                channel.close(mode: .output, promise: nil)
                channel.eventLoop.scheduleTask(in: Self.lingering) { channel.close(promise: nil) }
            }
            context.writeAndFlush(data, promise: written)
        default: context.write(data, promise: promise)
        }
    }

    /// Writes the answer to a request whose head could not be read, except for its end.
    ///
    /// It replaces the answer of Hummingbird, which has the status 400 and no body: clients expect a problem
    /// after every failure.
    private func writeProblem(
        _ problem: Problem, context: ChannelHandlerContext, promise: EventLoopPromise<Void>?
    ) {
        let id = Responder.newRequestID()
        let bytes = JSONWriter.bytes(of: problem.json(advice: { _ in nil }, requestID: id))
        let headers: HTTPHeaders = [
            "Content-Type": Problem.mediaType, "Content-Length": String(bytes.count), "Connection": "close",
            "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "X-Request-Id": id,
            "Date": Self.dateText(Date()),
        ]
        let head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: problem.status.code), headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: promise)
    }

    /// Returns a time in the form of the field `Date` (RFC 9110, section 5.6.7).
    private static func dateText(_ date: Date) -> String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.string(from: date)
    }

    /// Closes the connection after a while. The client may still be sending. If the connection were closed at
    /// once, the operating system would discard the answer.
    private func closeSoon(_ context: ChannelHandlerContext) {
        let channel = context.channel
        channel.eventLoop.scheduleTask(in: Self.lingering) { channel.close(promise: nil) }
    }
}
