import Foundation
import KennelTestSupport
import RetrieverImages
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite struct TakenTimeTests {
  private typealias Timestamp = ImageMetadata.Timestamp

  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  private func berlin() throws -> TimeZone { try #require(TimeZone(identifier: "Europe/Berlin")) }

  private func clock(_ year: Int, _ month: Int = 7, _ day: Int = 14, hour: Int = 16, zone: Int? = nil) throws
    -> Timestamp
  {
    try #require(Timestamp(year: year, month: month, day: day, hour: hour, minute: 3, secondsFromGMT: zone))
  }

  private func resolved(_ capture: CaptureTime) throws -> TakenTime? {
    capture.resolved(now: Self.now, in: try berlin())
  }

  @Test(arguments: [
    ("2026-07-14T16:03:00+02:00", "2026-07-14T16:03:00+02:00"),
    ("2026-07-14T16:03", "2026-07-14T16:03:00+02:00"),
    ("2026-01-14T16:03", "2026-01-14T16:03:00+01:00"), ("2026-07-14T16:03:59.999Z", "2026-07-14T16:03:59Z"),
    ("1969-12-31T23:59:59-11:30", "1969-12-31T23:59:59-11:30"), ("0001-01-01T00:00Z", "0001-01-01T00:00:00Z"),
  ])
  func `a time is read and written as its place saw it`(text: String, written: String) throws {
    let time = try #require(TakenTime(text, in: try berlin(), source: .edited))
    #expect(time.iso8601 == written)
    #expect(TakenTime(written, in: .gmt, source: .edited) == time)
    #expect(time.month.description == text.prefix(7))
  }

  @Test(arguments: [
    "", "2026", "2026-07-14", "2026-02-30T10:00Z", "2026-07-14T24:00Z", "2026-07-14 16:03",
    "2026-07-14T16:03X",
    "2026-07-14T16:03:00+2:00", "2026-07-14T16:03:00+19:00", "2026-07-14T16:03:00+02:00x",
    "0000-01-01T00:00Z",
    "+026-07-14T16:03Z",
  ])
  func `other texts are not times`(text: String) {
    #expect(TakenTime(text, in: .gmt, source: .edited) == nil)
  }

  @Test func `dates out of range do not overflow`() {
    for seconds in [Double.infinity, -.infinity, .nan, 1e300, -1e300] {
      let time = TakenTime(Date(timeIntervalSince1970: seconds), secondsFromGMT: .max, source: .file)
      #expect(time.secondsFromGMT == 64_800 && !time.isPossible(now: Self.now))
      #expect(!time.iso8601.isEmpty)
    }
  }

  @Test func `the camera's time and zone come first`() throws {
    let capture = CaptureTime(camera: try clock(2026, zone: 32_400), fileDate: Date(timeIntervalSince1970: 5))
    let time = try #require(try resolved(capture))
    #expect(time.iso8601 == "2026-07-14T16:03:00+09:00" && time.source == .camera)
  }

  @Test func `a camera without a zone has that of the kennel`() throws {
    let summer = try #require(try resolved(CaptureTime(camera: try clock(2026))))
    #expect(summer.iso8601 == "2026-07-14T16:03:00+02:00" && summer.source == .cameraClock)
    // At that time, the clocks of Berlin differed from GMT by 53 minutes and 28 seconds.
    let old = try #require(try resolved(CaptureTime(camera: try clock(1890))))
    #expect(old.iso8601 == "1890-07-14T16:03:00+00:53")
  }

  @Test(arguments: [(0, 9), (-180, 9), (180, 9), (300, nil), (7200 + 900, nil)] as [(Double, Int?)])
  func `the time of the satellites gives the zone, if it is that of the photo`(
    late: Double, hours: Int?
  ) throws {
    // 16:03 in Japan is 7:03 in UTC. The position was measured a little earlier.
    let moment = try clock(2026, hour: 7, zone: 0).date(in: .gmt) - late
    let parts = CalendarTime(localMilliseconds: moment.milliseconds)
    let satellites = Timestamp(
      year: parts.year, month: parts.month, day: parts.day, hour: parts.hour, minute: parts.minute,
      second: parts.second, secondsFromGMT: 0)
    let time = try #require(try resolved(CaptureTime(camera: try clock(2026), satellites: satellites)))
    if late == 8100 {
      // This is the time in a zone with a difference of 11:15 hours, as far as anyone can know.
      #expect(time.secondsFromGMT == 40_500)
    } else {
      #expect(time.secondsFromGMT == (hours ?? 2) * 3600)
      #expect(time.source == (hours == nil ? .cameraClock : .camera))
    }
  }

  @Test func `without a clock, the satellites give the moment`() throws {
    let satellites = try clock(2026, hour: 7, zone: 0)
    let time = try #require(try resolved(CaptureTime(satellites: satellites)))
    #expect(time.iso8601 == "2026-07-14T09:03:00+02:00" && time.source == .camera)
  }

  @Test func `impossible times are passed over`() throws {
    let file = Date(timeIntervalSince1970: 1_700_000_000)
    let unset = try [1904, 1970, 1980].map { year in
      try #require(Timestamp(year: year, month: 1, day: 1))
    }
    for camera in try unset + [clock(1, zone: 0), clock(1700), clock(2027, 2, 1), clock(9999)] {
      let time = try resolved(CaptureTime(camera: camera, fileDate: file))
      #expect(time?.date == file && time?.source == .file, "\(camera)")
    }
    for date in [0, -5e9, 1_900_000_000, Double.infinity] {
      #expect(try resolved(CaptureTime(fileDate: Date(timeIntervalSince1970: date))) == nil)
    }
    // A clock that is a little fast, or in another time zone, is no reason to ignore it.
    #expect(try resolved(CaptureTime(camera: try clock(2027, 1, 15, zone: 0)))?.source == .camera)
  }
}
