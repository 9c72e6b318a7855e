#include "plugin/module/run_recording.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/hash.hpp"
#include "plugin/base/units.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/residency/device/cpu/host_memory.hpp"
#include "plugin/tensor/recorder.hpp"

#include <utility>

namespace lowtide::module {

namespace {

std::map<std::string, std::string> hashesOf(const tensor::Recorder& recorder) {
    std::map<std::string, std::string> hashes;
    for (const auto& [name, value] : recorder.tensors()) {
        const auto* bytes = static_cast<const std::byte*>(value.const_data_ptr());
        hashes[name] = Hasher()
                           .add(toText(value.sizes().vec()))
                           .addRaw(std::span(bytes, static_cast<size_t>(value.nbytes())))
                           .hexDigest();
    }
    return hashes;
}

/// Reported before hours of work: the dump is written behind the last repetition.
void requireWritable(const std::string& dump) {
    if (dump.empty()) {
        return;
    }
    try {
        const files::OutputFile probe(dump);  // never committed: it goes with this scope
    } catch (const Error& error) {
        throw Error(error.kind(), error.message(), error.hint(), "dump");
    }
}

}  // namespace

RunRecording::RunRecording(RecorderSlot& slot,
                           const memory::Ledger& ledger,
                           std::string dumpPath,
                           std::optional<tensor::RecordedTensors> teacher,
                           int repetitions)
    : slot_(slot),
      ledger_(ledger),
      dumpPath_(std::move(dumpPath)),
      teacher_(std::move(teacher)),
      repetitions_(repetitions) {
    requireWritable(dumpPath_);
}

void RunRecording::beforeRun(int repetition) {
    current_ = repetition;
    recorder_ = {};
    slot_.recorder = dumpPath_.empty() ? nullptr : &recorder_;
    slot_.teacher = teacher_ ? &*teacher_ : nullptr;
}

void RunRecording::afterRun(memory::Outcome outcome) {
    slot_ = {};
    unaccounted_.push_back(residency::processMemory().resident - ledger_.bytesOn("cpu"));
    if (dumpPath_.empty() || outcome != memory::Outcome::Finished) {
        return;
    }
    if (current_ < repetitions_) {
        earlier_.push_back(hashesOf(recorder_));
        return;
    }
    compareWithLast(hashesOf(recorder_));
    tensor::writeRecording(dumpPath_, recorder_.tensors(), {});
}

void RunRecording::compareWithLast(const std::map<std::string, std::string>& last) const {
    for (size_t i = 0; i < earlier_.size(); ++i) {
        const auto [first, other] =
            std::mismatch(last.begin(), last.end(), earlier_[i].begin(), earlier_[i].end());
        if (first != last.end() || other != earlier_[i].end()) {
            throw Error(ErrorKind::Internal,
                        message("repetition {} differs from the last one in \"{}\"",
                                i + 1,
                                first != last.end() ? first->first : other->first),
                        message("this is a fault of Lowtide or of the machine; please report it "
                                "with the graph"));
        }
    }
}

}  // namespace lowtide::module
