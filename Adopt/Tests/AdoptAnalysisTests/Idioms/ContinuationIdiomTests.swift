import Testing

/// Typical bridges to async code.
struct ContinuationIdiomTests {
  @Test func `missing and repeated resumes in continuations are found`() {
    expectFindings(
      in: """
        func scan(in image: CGImage) async throws -> [String] {
          try await withCheckedThrowingContinuation { continuation in
            let request = VNRecognizeTextRequest { request, error in
              if let error { continuation.resume(throwing: error); return }
              continuation.resume(returning: request.lines)
            }
            do {
              try requests.perform([request])
            } catch {
              continuation.resume(throwing: error)  // expect: twice
            }
          }
        }
        func location() async -> Location? {
          await withCheckedContinuation { continuation in
            provider.locate { location, error in
              guard error == nil else { return }  // expect: never
              continuation.resume(returning: location)
            }
          }
        }
        func token() async throws -> String {
          try await withCheckedThrowingContinuation { continuation in
            store.token { result in
              switch result {
              case .success(let token): continuation.resume(returning: token)
              case .failure(let error) where error.isFinal: continuation.resume(throwing: error)
              case .failure: break
              }
            }  // expect: never
          }
        }
        func value(for key: String) async -> Int {
          await withUnsafeContinuation { continuation in
            if let known = cache[key] { continuation.resume(returning: known) }
            database.read(key) { value, error in
              continuation.resume(returning: value ?? 0)  // expect: twice
            }
          }
        }
        func answer() async throws -> Data {
          try await withUnsafeThrowingContinuation { continuation in
            session.dataTask(with: url) { data, _, error in
              if let data { continuation.resume(returning: data) }
              if let error { continuation.resume(throwing: error) }  // expect: twice
            }.resume()  // expect: never
          }
        }
        func drain() async {
          await withCheckedContinuation { done in  // expect: never
            queue.async { work() }
          }
        }
        func permission() async -> Bool {
          await withCheckedContinuation { continuation in
            switch status {
            case .authorized: continuation.resume(returning: true)
            case .denied, .restricted: continuation.resume(returning: false)
            case .notDetermined:
              center.requestAuthorization(options: []) { isGranted, error in
                if error != nil { continuation.resume(returning: false) }
                continuation.resume(returning: isGranted)  // expect: twice
              }
            @unknown default: break
            }
          }  // expect: never
        }
        func export() async throws {
          try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, Error>) in
            exporter.exportAsynchronously(completionHandler: {
              switch exporter.status {
              case .completed: continuation.resume()
              case .failed: continuation.resume(throwing: exporter.error ?? Problem())
              default: log(exporter.status)
              }
            })  // expect: never
          }
        }
        func first(of names: [String]) async -> Record {
          await withCheckedContinuation { continuation in
            for name in names {
              continuation.resume(returning: Record(name))  // expect: twice
            }
          }  // expect: never
        }
        func measured() async {
          await withCheckedContinuation {
            if isReady { $0.resume() }
          }  // expect: never
        }
        actor Mailbox {
          var waiter: CheckedContinuation<Letter, Never>?
          func next() async -> Letter {
            await withCheckedContinuation { continuation in
              waiter = continuation  // expect: lost
            }
          }
          func deliver(_ letter: Letter) {
            waiter?.resume(returning: letter)
            waiter?.resume(returning: letter)  // expect: twice
            waiter = nil
          }
        }
        """)
  }

  @Test func `continuations that are resumed once give no findings`() {
    expectNoFindings(
      in: """
        func scan(in image: CGImage) async throws -> [String] {
          try await withCheckedThrowingContinuation { continuation in
            let request = VNRecognizeTextRequest { request, error in
              if let error { continuation.resume(throwing: error); return }
              continuation.resume(returning: request.lines)
            }
            try? requests.perform([request])
          }
        }
        func location() async -> Location? {
          await withCheckedContinuation { continuation in
            provider.locate { location, error in continuation.resume(returning: error == nil ? location : nil) }
          }
        }
        func token() async throws -> String {
          try await withCheckedThrowingContinuation { continuation in
            store.token { result in continuation.resume(with: result) }
          }
        }
        func value(for key: String) async -> Int {
          if let known = cache[key] { return known }
          return await withUnsafeContinuation { continuation in
            database.read(key) { value, error in continuation.resume(returning: value ?? 0) }
          }
        }
        func answer() async throws -> Data {
          try await withUnsafeThrowingContinuation { continuation in
            session.dataTask(with: url) { data, _, error in
              if let data { continuation.resume(returning: data) } else { continuation.resume(throwing: error ?? Problem()) }
            }.resume()
          }
        }
        func drain() async {
          await withCheckedContinuation { done in
            queue.async(flags: .barrier) { done.resume() }
          }
        }
        func permission() async -> Bool {
          await withCheckedContinuation { continuation in
            switch status {
            case .authorized: continuation.resume(returning: true)
            case .notDetermined:
              center.requestAuthorization(options: []) { isGranted, _ in continuation.resume(returning: isGranted) }
            default: continuation.resume(returning: false)
            }
          }
        }
        func stored() async {
          await withCheckedContinuation { continuation in
            waiting.append(continuation)
          }
        }
        func cancellable() async throws -> Int {
          try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
              start(id) { result in continuation.resume(with: result) }
            }
          } onCancel: {
            stop(id)
          }
        }
        func process() async throws -> Int32 {
          try await withCheckedThrowingContinuation { continuation in
            let child = Process()
            child.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try child.run() } catch { continuation.resume(throwing: error) }
          }
        }
        func started() async throws {
          try await withCheckedThrowingContinuation { continuation in
            let listener = Listener(port: port, completion: { error in
              if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            })
            do { try listener.start() } catch { continuation.resume(throwing: error) }
          }
        }
        actor Mailbox {
          var waiter: CheckedContinuation<Letter, Never>?
          func next() async -> Letter {
            await withCheckedContinuation { continuation in
              waiter?.resume(returning: .none)
              waiter = continuation
            }
          }
          func deliver(_ letter: Letter) {
            guard let waiting = waiter else { return }
            waiter = nil
            waiting.resume(returning: letter)
          }
        }
        """)
  }
}
