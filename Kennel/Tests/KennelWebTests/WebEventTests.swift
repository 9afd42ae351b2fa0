import Foundation
import KennelTestSupport
import Retriever
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

@Suite(.timeLimit(.minutes(5))) struct WebEventTests {
  /// Reads an open stream line by line.
  private func open(
    _ web: SiteFixture, _ path: String = "/events", _ fields: [String: String] = [:]
  ) async throws -> (Retriever.URLSession.AsyncBytes, Retriever.HTTPURLResponse) {
    let (bytes, response) = try await web.session.bytes(for: try web.request("GET", path, fields))
    guard let response = response as? Retriever.HTTPURLResponse else { throw URLError(.badServerResponse) }
    return (bytes, response)
  }

  @Test func `each event is sent as one line`() async throws {
    try await withSite(clock: ManualKennelClock().clock) { web in
      let ada = try await web.store.addUser("Ada")
      let (bytes, response) = try await open(web)
      #expect(response.statusCode == 200)
      #expect(response.value(forHTTPHeaderField: "Content-Type") == "application/x-ndjson")
      #expect(response.value(forHTTPHeaderField: "Cache-Control") == "no-store")
      var lines = bytes.lines.makeAsyncIterator()
      #expect(try await lines.next() == #"{"id":0,"kind":"hello"}"#)
      try await web.store.addPost(1, by: ada)
      #expect(try await lines.next() == #"{"id":1,"kind":"post","post":1,"date":"2027-01-15T08:00:00Z"}"#)
      #expect(try await web.ask("PUT", "/posts/1/favourite", SiteFixture.basic("Ada")).status == 200)
      #expect(
        try await lines.next()
          == #"{"id":2,"kind":"favourites","post":1,"count":1,"date":"2027-01-15T08:00:00Z"}"#)
      _ = try await web.store.posts.addComment("x", to: 1, author: ada.id)
      #expect(
        try await lines.next()
          == #"{"id":3,"kind":"comment","post":1,"comment":1,"count":1,"date":"2027-01-15T08:00:00Z"}"#)
      try await web.store.posts.deleteComment(1, by: ada.id)
      #expect(
        try await lines.next()
          == #"{"id":4,"kind":"comment-removed","post":1,"comment":1,"count":0,"date":"2027-01-15T08:00:00Z"}"#
      )
      try await web.store.posts.delete(1, by: ada.id)
      #expect(
        try await lines.next() == #"{"id":5,"kind":"post-removed","post":1,"date":"2027-01-15T08:00:00Z"}"#)
    }
  }

  @Test func `only the user who gave a heart receives that information`() async throws {
    try await withSite(clock: ManualKennelClock().clock) { web in
      let ada = try await web.store.addUser("Ada")
      let ben = try await web.store.addUser("Ben")
      try await web.store.addPost(1, by: ada)
      let cookie = try await web.cookie()
      func heart(_ mark: String, _ id: Int, _ count: Int) -> String {
        #"{"id":\#(id),"kind":"favourites","post":1,"count":\#(count)\#(mark),"date":"2027-01-15T08:00:00Z"}"#
      }
      let mine = try await open(web, "/events", cookie).0
      let byPassword = try await open(web, "/events", SiteFixture.basic("Ada")).0
      let others = [try await open(web).0, try await open(web, "/events", try await web.cookie("Ben")).0]
      _ = try await web.store.posts.setFavourite(true, post: 1, user: ada.id)
      _ = try await web.store.posts.setFavourite(true, post: 1, user: ben.id)
      _ = try await web.store.posts.setFavourite(false, post: 1, user: ada.id)
      for bytes in [mine, byPassword] {
        var lines = bytes.lines.makeAsyncIterator()
        _ = try await lines.next()
        #expect(try await lines.next() == heart(#","isFavourite":true"#, 2, 1))
        #expect(try await lines.next() == heart("", 3, 2))
        #expect(try await lines.next() == heart(#","isFavourite":false"#, 4, 1))
      }
      for (index, bytes) in others.enumerated() {
        var lines = bytes.lines.makeAsyncIterator()
        _ = try await lines.next()
        #expect(try await lines.next() == heart("", 2, 1))
        #expect(try await lines.next() == heart(index == 1 ? #","isFavourite":true"# : "", 3, 2))
        #expect(try await lines.next() == heart("", 4, 1))
      }
      // A listener that reconnects receives the mark as well, but not after signing out.
      var replayed = try await open(web, "/events?after=3", cookie).0.lines.makeAsyncIterator()
      _ = try await replayed.next()
      #expect(try await replayed.next() == heart(#","isFavourite":false"#, 4, 1))
      #expect(try await web.ask("DELETE", "/session", cookie).status == 204)
      _ = try await web.store.posts.setFavourite(true, post: 1, user: ada.id)
      #expect(try await replayed.next() == heart("", 5, 2))
    }
  }

  @Test func `a new password ends a stream that began with the old one`() async throws {
    try await withSite {
      $0.isOpenToEveryone = false
    } _: { web in
      let ada = try await web.store.addUser("Ada")
      let bytes = try await open(web, "/events", SiteFixture.basic("Ada")).0
      var lines = bytes.lines.makeAsyncIterator()
      _ = try await lines.next()
      try await web.store.addPost(1, by: ada)
      #expect(try await lines.next()?.contains(#""kind":"post""#) == true)
      try await web.store.accounts.setPassword("another horse", of: ada.id)
      try await web.store.addPost(2, by: ada)
      #expect(try await lines.next() == nil)
    }
  }

  @Test func `an EventSource resumes after its last event`() async throws {
    try await withSite(clock: ManualKennelClock().clock) { web in
      let ada = try await web.store.addUser("Ada")
      for number in 1...3 { try await web.store.addPost(number, by: ada) }
      let (bytes, response) = try await open(
        web, "/events", ["Accept": "text/event-stream", "Last-Event-ID": "1"])
      #expect(response.value(forHTTPHeaderField: "Content-Type") == "text/event-stream")
      var text = ""
      for try await byte in bytes {
        text.unicodeScalars.append(Unicode.Scalar(byte))
        if text.components(separatedBy: "\n\n").count == 4 { break }
      }
      #expect(
        text == """
          retry: 3000
          id: 1
          event: hello
          data: {"id":1,"kind":"hello"}

          id: 2
          event: post
          data: {"id":2,"kind":"post","post":2,"date":"2027-01-15T08:00:00Z"}

          id: 3
          event: post
          data: {"id":3,"kind":"post","post":3,"date":"2027-01-15T08:00:00Z"}


          """)
    }
  }

  @Test func `a stream of lines resumes after the id in its parameter`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      for number in 1...3 { try await web.store.addPost(number, by: ada) }
      let (bytes, _) = try await open(web, "/events?after=2")
      var lines = bytes.lines.makeAsyncIterator()
      #expect(try await lines.next() == #"{"id":2,"kind":"hello"}"#)
      #expect(try await lines.next()?.hasPrefix(#"{"id":3,"kind":"post","post":3"#) == true)
      #expect(try await web.get("/events?after=x").status == 400)
    }
  }

  @Test func `a client that missed too many events receives a lost event`() async throws {
    try await withSite {
      _ in
    } store: {
      $0.eventLogCapacity = 2
      $0.eventRingCapacity = 2
    } _: { web in
      let ada = try await web.store.addUser("Ada")
      for number in 1...5 { try await web.store.addPost(number, by: ada) }
      let (bytes, _) = try await open(web, "/events?after=1")
      var lines = bytes.lines.makeAsyncIterator()
      _ = try await lines.next()
      #expect(try await lines.next() == #"{"id":3,"kind":"lost"}"#)
      #expect(try await lines.next()?.hasPrefix(#"{"id":4,"#) == true)
    }
  }

  @Test func `a heartbeat is sent after each interval`() async throws {
    let timer = ManualClock()
    try await withSite(timer: timer) { web in
      let (bytes, _) = try await open(web)
      let (source, _) = try await open(web, "/events", ["Accept": "text/event-stream"])
      var lines = bytes.lines.makeAsyncIterator()
      var events = source.lines.makeAsyncIterator()
      _ = try await lines.next()
      while let line = try await events.next(), !line.hasPrefix("data:") {}
      for _ in 0..<3 {
        // Both listeners wait for one shared timer.
        await timer.waitForSleepers()
        #expect(await eventually { web.site.heartbeatTimer.waitingCount == 2 })
        timer.advance(by: .seconds(15))
        #expect(try await lines.next() == #"{"kind":"heartbeat"}"#)
        #expect(timer.sleeperCount <= 1)
        while let line = try await events.next(), line != #"data: {"kind":"heartbeat"}"# {}
      }
    }
  }

  @Test func `a client that disconnects is removed from the listeners`() async throws {
    let timer = ManualClock()
    try await withSite(timer: timer) { web in
      let task = Task {
        let (bytes, _) = try await open(web)
        for try await _ in bytes.lines {}
      }
      #expect(
        await eventually { web.store.events.waitingCount == 1 && web.site.heartbeatTimer.waitingCount == 1 })
      task.cancel()
      _ = await task.result
      #expect(
        await eventually { web.store.events.listenerCount == 0 && web.site.heartbeatTimer.waitingCount == 0 })
      // The timer is stopped while there are no listeners.
      #expect(await eventually { timer.sleeperCount == 0 })
      let head = try await web.ask("HEAD", "/events").status
      #expect(head == 200)
      #expect(await eventually { web.store.events.listenerCount == 0 })
    }
  }

  @Test func `listeners over the maximum are refused with a retry delay`() async throws {
    try await withSite {
      _ in
    } store: {
      $0.maximumListenerCount = 1
    } _: { web in
      let (bytes, _) = try await open(web)
      var lines = bytes.lines.makeAsyncIterator()
      _ = try await lines.next()
      let answer = try await web.get("/events")
      #expect(answer.status == 503)
      #expect(answer.field("Retry-After") == "5")
    }
  }

  @Test func manyListenersShareTheBytesOfAnEvent() async throws {
    let encoder = EventEncoder()
    let events = [
      KennelEvent(id: 1, post: 2, kind: .favourites(count: 3), date: Date(timeIntervalSince1970: 0))
    ]
    let first = encoder.data(events, .lines)
    let second = encoder.data(events, .lines)
    first.withUnsafeBytes { one in
      second.withUnsafeBytes { other in #expect(one.baseAddress == other.baseAddress) }
    }
    #expect(encoder.data(events, .eventSource).count > first.count)
  }

  @Test func `two hundred listeners receive the same events`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      try await withThrowingTaskGroup(of: [String].self) { group in
        for _ in 0..<200 {
          group.addTask {
            let (bytes, _) = try await self.open(web)
            var heard: [String] = []
            for try await line in bytes.lines {
              heard.append(line)
              if heard.count == 4 { break }
            }
            return heard
          }
        }
        #expect(await eventually { web.store.events.waitingCount == 200 })
        for number in 1...3 { try await web.store.addPost(number, by: ada) }
        var different: Set<[String]> = []
        for try await heard in group { different.insert(heard) }
        #expect(different.count == 1)
        #expect(different.first?.count == 4)
      }
    }
  }
}
