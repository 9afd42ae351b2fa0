// Runs a background session, and prints a line for each of its events:
//
//   transferring DIRECTORY IDENTIFIER continue
//   transferring DIRECTORY IDENTIFIER download URL...
//   transferring DIRECTORY IDENTIFIER upload METHOD URL FILE
//   transferring DIRECTORY IDENTIFIER queue DOWNLOAD-URL METHOD UPLOAD-URL FILE
//
// Downloads are moved to DIRECTORY/result-N, where N is the task's identifier. With STOP_AT in the environment, the program
// stops at a point until it is killed: "created", "file", "moved" or "completed". It ends after the last of its own
// tasks, or after the events of an earlier run.
import Foundation
import Retriever
import Synchronization

func report(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

func stop(at point: String) {
  guard ProcessInfo.processInfo.environment["STOP_AT"] == point else { return }
  report("stopped")
  while true { pause() }
}

final class Delegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
  let directory: URL
  let remaining = Mutex(0)

  init(_ directory: URL) { self.directory = directory }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {
    let status = (downloadTask.response as? HTTPURLResponse)?.statusCode ?? 0
    report("file \(downloadTask.taskIdentifier) \(status)")
    stop(at: "file")
    let target = directory.appendingPathComponent("result-\(downloadTask.taskIdentifier)")
    try? FileManager.default.removeItem(at: target)
    do {
      try FileManager.default.moveItem(at: location, to: target)
    } catch {
      report("not moved \(error)")
    }
    stop(at: "moved")
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    report("written \(totalBytesWritten)")
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
    expectedTotalBytes: Int64
  ) {
    report("resumed \(fileOffset)")
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let code = (error as? URLError)?.code.rawValue ?? 0
    report("completed \(task.taskIdentifier) \(code) \(task.taskDescription ?? "")")
    stop(at: "completed")
    let isLast = remaining.withLock { remaining in
      remaining -= 1
      return remaining == 0
    }
    if isLast { session.finishTasksAndInvalidate() }
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    report("invalid")
    exit(0)
  }

  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
    report("events")
    if remaining.withLock({ $0 <= 0 }) { exit(0) }
  }
}

let arguments = CommandLine.arguments
guard arguments.count > 3 else { exit(64) }
let directory = URL(fileURLWithPath: arguments[1])
let configuration = URLSessionConfiguration.background(withIdentifier: arguments[2])
configuration.backgroundDirectory = directory.appendingPathComponent("background")
configuration.httpMaximumConnectionsPerHost = 1
let delegate = Delegate(directory)

func url(_ index: Int) -> URL { URL(string: arguments[index]) ?? directory }

func request(_ method: String, _ url: URL) -> URLRequest {
  var request = URLRequest(url: url)
  request.httpMethod = method
  request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
  return request
}

// A task that is refused ends before it is returned.
let counts = ["download": arguments.count - 4, "upload": 1, "queue": 2]
delegate.remaining.withLock { $0 = counts[arguments[3]] ?? 0 }
let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
var tasks: [URLSessionTask] = []
switch arguments[3] {
case "download":
  tasks = arguments.indices.dropFirst(4).map { session.downloadTask(with: request("GET", url($0))) }
case "upload":
  tasks = [
    session.uploadTask(with: request(arguments[4], url(5)), fromFile: URL(fileURLWithPath: arguments[6]))
  ]
case "queue":
  tasks = [
    session.downloadTask(with: request("GET", url(4))),
    session.uploadTask(with: request(arguments[5], url(6)), fromFile: URL(fileURLWithPath: arguments[7])),
  ]
default:
  session.getAllTasks { tasks in
    report("tasks " + tasks.map { "\($0.taskIdentifier)" }.joined(separator: " "))
  }
}
for task in tasks {
  task.taskDescription = "task \(task.taskIdentifier)"
  report("created \(task.taskIdentifier)")
}
stop(at: "created")
for task in tasks { task.resume() }
dispatchMain()
