#include "tests/unit/tensor/python_golden.hpp"

#include "plugin/base/error.hpp"

#include <ATen/ATen.h>

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>

namespace lowtide::tests {

namespace {

constexpr int kMostMilliseconds = 300'000;

QString cacheFolder() {
    const QString cache = qEnvironmentVariable("LOWTIDE_CACHE");
    return (cache.isEmpty() ? QDir::tempPath() + "/lowtide-cache" : cache) + "/goldens";
}

void runScript(const QString& script, const QString& target) {
    const QString python = qEnvironmentVariable("LOWTIDE_PYTHON");
    if (python.isEmpty()) {
        throw Error(ErrorKind::NotFound,
                    "LOWTIDE_PYTHON is not set, the reference values cannot be made",
                    "run the tests with ./dev test");
    }
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(python, {script, target});
    const bool ended = process.waitForFinished(kMostMilliseconds);
    if (!ended || process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0) {
        process.kill();
        process.waitForFinished();
        throw Error(ErrorKind::Internal,
                    "the reference values cannot be made: " + process.errorString().toStdString() +
                        "\n" + process.readAll().toStdString());
    }
}

/// The file that belongs to this very script, made when it is not there yet.
QString valuesOf(const QString& script) {
    const QString folder = cacheFolder();
    const std::string hash = files::sha256OfFile(script.toStdString());
    const QString path = folder + "/" + QFileInfo(script).baseName() + "-" +
                         QString::fromStdString(hash.substr(0, 16)) + ".safetensors";
    if (QFile::exists(path)) {
        return path;
    }
    QDir().mkpath(folder);
    const QString unfinished = path + "." + QString::number(QCoreApplication::applicationPid());
    runScript(script, unfinished);
    QFile::rename(unfinished, path);  // fails when another process was faster, with the same bytes
    QFile::remove(unfinished);
    return path;
}

at::ScalarType scalarType(DType type) {
    switch (type) {
        case DType::F32:
            return at::kFloat;
        case DType::F64:
            return at::kDouble;
        case DType::I64:
            return at::kLong;
        case DType::U8:
            return at::kByte;
        default:
            throw Error(ErrorKind::Unsupported, "a golden holds F32, F64, I64 and U8 only");
    }
}

}  // namespace

PythonGolden::PythonGolden(const std::string& script)
    : file_(std::make_unique<files::InputFile>(
          valuesOf(QString::fromStdString(script)).toStdString())),
      header_(files::readSafetensorsHeader(*file_)) {}

at::Tensor PythonGolden::tensor(const std::string& key) const {
    const auto found = header_.tensors.find(key);
    if (found == header_.tensors.end()) {
        throw Error(ErrorKind::NotFound, "the golden has no tensor \"" + key + "\"");
    }
    at::Tensor value = at::empty(found->second.shape, scalarType(found->second.type));
    file_->read({static_cast<std::byte*>(value.mutable_data_ptr()), value.nbytes()},
                found->second.offset);
    return value;
}

bool PythonGolden::has(const std::string& key) const {
    return header_.tensors.contains(key);
}

std::string PythonGolden::text(const std::string& key) const {
    return header_.metadata.at(key);
}

double relativeL2(const at::Tensor& a, const at::Tensor& b) {
    const at::Tensor difference = at::norm(a.to(at::kDouble) - b.to(at::kDouble));
    const double distance = difference.item<double>();
    return distance == 0 ? 0 : distance / at::norm(b.to(at::kDouble)).item<double>();
}

}  // namespace lowtide::tests
