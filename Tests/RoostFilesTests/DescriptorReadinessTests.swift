import Foundation
import RoostFiles
import Testing

@Suite struct DescriptorReadinessTests {
    @Test func `a read from a pipe that does not block is repeated when there are bytes`() async throws {
        let pipe = Pipe()
        let input = pipe.fileHandleForReading.fileDescriptor
        #expect(fcntl(input, F_SETFL, fcntl(input, F_GETFL) | O_NONBLOCK) == 0)
        var byte = UInt8(0)
        let first = read(input, &byte, 1)
        let error = errno
        #expect(first == -1)
        Thread.detachNewThread {
            usleep(50_000)
            try? pipe.fileHandleForWriting.write(contentsOf: Data([7]))
        }
        #expect(DescriptorReadiness.canRetry(after: error, Int32(POLLIN), input))
        let second = read(input, &byte, 1)
        #expect(second == 1 && byte == 7)
        withExtendedLifetime(pipe) {}
    }

    @Test func `only temporary failures are repeated`() {
        #expect(DescriptorReadiness.canRetry(after: EINTR, Int32(POLLOUT), -1))
        #expect(!DescriptorReadiness.canRetry(after: EPIPE, Int32(POLLOUT), -1))
        #expect(!DescriptorReadiness.canRetry(after: EIO, Int32(POLLIN), -1))
    }
}
