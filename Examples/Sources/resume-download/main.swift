// Downloads into a file. If the connection breaks, the download resumes where it stopped, up to three times.
//
//   resume-download URL FILE
import Foundation
import Retriever

let arguments = CommandLine.arguments
guard arguments.count == 3, let url = URL(string: arguments[1]) else {
  print("usage: resume-download URL FILE")
  exit(2)
}
let destination = URL(fileURLWithPath: arguments[2])

func download(from url: URL, maximumAttempts: Int = 4) async throws -> (file: URL, attempts: Int) {
  var attempts = 0
  var resumeData: Data?
  while true {
    attempts += 1
    do {
      if let resumeData {
        return (try await URLSession.shared.download(resumeFrom: resumeData).0, attempts)
      }
      return (try await URLSession.shared.download(from: url).0, attempts)
    } catch let error as URLError where attempts < maximumAttempts {
      guard let data = error.userInfo[NSURLSessionDownloadTaskResumeData] as? Data else { throw error }
      resumeData = data
    }
  }
}

let (file, attempts) = try await download(from: url)
try? FileManager.default.removeItem(at: destination)
try FileManager.default.moveItem(at: file, to: destination)
let size = try FileManager.default.attributesOfItem(atPath: destination.path)[.size] ?? 0
print("\(size) bytes in \(attempts) attempts")
