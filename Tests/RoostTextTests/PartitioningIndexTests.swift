import RoostText
import Testing

@Suite struct PartitioningIndexTests {
    @Test func `every boundary in collections of every small size is found`() {
        for count in 0..<40 {
            for boundary in 0...count {
                #expect((0..<count).partitioningIndex { $0 >= boundary } == boundary)
            }
        }
    }

    @Test func `the index of a slice is that of its collection`() {
        let slice = [1, 3, 3, 5, 9][1..<4]
        #expect(slice.partitioningIndex { $0 > 0 } == 1)
        #expect(slice.partitioningIndex { $0 > 3 } == 3)
        #expect(slice.partitioningIndex { $0 > 5 } == 4)
    }

    @Test func `the number of tests is logarithmic`() {
        var tests = 0
        let index = (0..<1_000_000).partitioningIndex { number in
            tests += 1
            return number >= 999_999
        }
        #expect(index == 999_999)
        #expect(tests <= 20)
    }
}
