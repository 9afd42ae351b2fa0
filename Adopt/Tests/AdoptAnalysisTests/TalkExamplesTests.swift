import Testing

@testable import AdoptAnalysis

/// The example functions of the talks that introduced async/await, with their original control flow.
struct TalkExamplesTests {
  @Test func `both missing calls in fetchThumbnail are found`() {
    expectFindings(
      in: """
        func fetchThumbnail(for id: String, completion: @escaping (Thumbnail?, Error?) -> Void) {
          let request = thumbnailRequest(for: id)
          let task = URLSession.shared.dataTask(with: request) { data, response, error in
            if let error = error {
              completion(nil, error)
            } else if (response as? HTTPURLResponse)?.statusCode != 200 {
              completion(nil, FetchError.badID)
            } else {
              guard let image = Picture(data: data!) else {
                return // expect: never
              }
              image.prepareThumbnail(of: Size(width: 40, height: 40)) { thumbnail in
                guard let thumbnail = thumbnail else {
                  return // expect: never
                }
                completion(thumbnail, nil)
              }
            }
          }
          task.resume()
        }
        """)
  }

  @Test func `a return without a call is reported with its path`() throws {
    let file = ParsedFile(
      path: "a.swift",
      text: """
        func fetch(completion: @escaping (Int?, Error?) -> Void) {
          URLSession.shared.dataTask(with: url) { data, _, error in
            if let error {
              completion(nil, error)
            } else {
              guard let data else { return }
              completion(data.count, nil)
            }
          }.resume()
        }
        """)
    let finding = try #require(check(file).findings.first)
    #expect(finding.kind == .never)
    #expect(finding.function == "fetch(completion:)")
    #expect(finding.handler == "completion")
    #expect(finding.message == "returns without calling 'completion'")
    #expect(finding.notes.map(\.message) == ["'error' is nil", "this guard fails"])
    #expect(finding.notes.map(\.place.line) == [3, 6])
    #expect(finding.place.line == 6)
    #expect(finding.place.column == 29)
  }

  @Test func `repeated and empty calls in fetchPhoto are found`() throws {
    let text = """
      func fetchPhoto(url: URL, completionHandler: @escaping (UIImage?, Error?) -> Void) {
        let task = URLSession.shared.dataTask(with: url) { data, response, error in
          if let error = error {
            completionHandler(nil, error)
          }
          if let data = data, let response = response as? HTTPURLResponse, response.statusCode == 200 {
            DispatchQueue.main.async {
              completionHandler(UIImage(data: data), nil) // expect: twice, nothing
            }
          } else {
            completionHandler(nil, PhotoError.invalidResponse) // expect: twice
          }
        }
        task.resume()
      }
      """
    expectFindings(in: text)
    let findings = check(ParsedFile(path: "a.swift", text: text)).findings
    let twice = try #require(findings.first { $0.kind == .twice })
    #expect(
      twice.notes.contains { $0.place.line == 4 && $0.message == "'completionHandler' is called here first" })
    #expect(twice.fixIts.map(\.message) == ["return after the call"])
    let nothing = try #require(findings.first { $0.kind == .nothing })
    #expect(
      nothing.message
        == "'completionHandler' may be called with neither a value nor an error if 'UIImage(data: data)' is nil"
    )
  }

  @Test func `a delegate that overwrites its continuation is found`() {
    expectFindings(
      in: """
        final class Peers: NSObject, PeerSyncDelegate {
          private var activeContinuation: CheckedContinuation<[Post], Error>?

          func sharedPosts() async throws -> [Post] {
            try await withCheckedThrowingContinuation { continuation in
              self.activeContinuation = continuation // expect: lost
              peerManager.syncSharedPosts()
            }
          }

          func peerManager(_ manager: PeerManager, received posts: [Post]) {
            activeContinuation?.resume(returning: posts)
            activeContinuation = nil
          }

          func peerManager(_ manager: PeerManager, hadError error: Error) {
            activeContinuation?.resume(throwing: error)
            activeContinuation = nil
          }
        }
        """)
  }

  @Test func `the async version of fetchThumbnail has no findings`() {
    #expect(
      check(
        ParsedFile(
          path: "a.swift",
          text: """
            func fetchThumbnail(for id: String) async throws -> UIImage {
              let (data, response) = try await URLSession.shared.data(for: request(for: id))
              guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw FetchError.badID }
              guard let image = await UIImage(data: data)?.thumbnail else { throw FetchError.badImage }
              return image
            }
            """)
      ).findings.isEmpty)
  }
}
