#include "plugin/base/error.hpp"
#include "plugin/files/safetensors.hpp"
#include "plugin/tensor/recorder.hpp"
#include "tests/fixtures/test_program.hpp"

#include <ATen/ATen.h>

#include <QTemporaryDir>
#include <QtTest>

namespace lowtide::tensor::recorder_test {

namespace {

std::vector<std::string> keysOf(const Recorder& recorder) {
    std::vector<std::string> keys;
    for (const auto& entry : recorder.tensors()) {
        keys.push_back(entry.first);
    }
    return keys;
}

}  // namespace

class RecorderTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void numbersRepeatedKeys() {
        Recorder recorder;
        recorder.beginStage("denoise", "a");
        recorder.putNext("random", at::zeros({1}));
        recorder.putNext("random", at::ones({1}));
        recorder.put("latents.init", at::zeros({1}));
        QCOMPARE(keysOf(recorder),
                 (std::vector<std::string>{"latents.init", "random.000", "random.001"}));
        QCOMPARE(recorder.tensors().at("random.001").item<float>(), 1.0F);
    }

    void secondNodeOfAStageIsNamed() {
        Recorder recorder;
        recorder.beginStage("denoise", "a");
        recorder.putNext("random", at::zeros({1}));
        recorder.beginStage("decode", "d");
        recorder.put("image", at::zeros({1}));
        recorder.beginStage("denoise", "b");
        recorder.putNext("random", at::zeros({1}));
        QCOMPARE(keysOf(recorder),
                 (std::vector<std::string>{"b/random.000", "image", "random.000"}));
    }

    void aStageThatRunsAgainStartsOver() {
        Recorder recorder;
        recorder.beginStage("encode", "e");
        recorder.put("tokens", at::zeros({1}));
        recorder.beginStage("denoise", "a");
        recorder.putNext("random", at::zeros({1}));
        recorder.putNext("random", at::zeros({1}));
        recorder.beginStage("denoise", "a");
        recorder.putNext("random", at::ones({1}));
        QCOMPARE(keysOf(recorder), (std::vector<std::string>{"random.000", "tokens"}));
        QVERIFY(at::equal(recorder.tensors().at("random.000"), at::ones({1})));
    }

    void undefinedTensorIsLeftOut() {
        Recorder recorder;
        recorder.beginStage("encode", "a");
        recorder.put("sigmas", at::Tensor());
        QVERIFY(recorder.tensors().empty());
    }

    void laterChangesDoNotReachTheCopy() {
        Recorder recorder;
        recorder.beginStage("denoise", "a");
        at::Tensor value = at::zeros({2});
        recorder.put("x", value);
        value.fill_(5);
        QCOMPARE(recorder.tensors().at("x").sum().item<float>(), 0.0F);
    }

    void offMeansNothingHappens() {
        const Record record(nullptr);
        QVERIFY(!record.isOn());
        record.put("x", at::zeros({1}));
        record.putNext("x", at::zeros({1}));
    }

    void fileHoldsTheSameTensors() {
        Recorder recorder;
        recorder.beginStage("denoise", "a");
        recorder.put("timesteps", at::arange(3, at::kLong));
        recorder.put("latents", at::rand({1, 4, 2, 2}));
        recorder.put("sigma", at::scalar_tensor(14.5, at::kFloat));
        recorder.put("image_u8", at::full({1, 2, 2, 3}, 7, at::kByte));
        const QTemporaryDir folder;
        const std::string path = folder.filePath("dump.safetensors").toStdString();

        writeRecording(path, recorder.tensors(), {{"format", "1"}});

        const files::InputFile file(path);
        const auto header = files::readSafetensorsHeader(file);
        QCOMPARE(header.metadata.at("format"), std::string("1"));
        QCOMPARE(header.tensors.size(), 4U);
        for (const auto& [key, value] : recorder.tensors()) {
            const files::TensorInfo& info = header.tensors.at(key);
            QCOMPARE(info.shape, value.sizes().vec());
            std::string bytes(static_cast<size_t>(info.bytes), ' ');
            file.read(std::as_writable_bytes(std::span(bytes)), info.offset);
            QCOMPARE(bytes,
                     std::string(static_cast<const char*>(value.data_ptr()), value.nbytes()));
        }
        QVERIFY(header.tensors.at("timesteps").type == DType::I64);
        QVERIFY(header.tensors.at("image_u8").type == DType::U8);
    }

    void fileIsReadAsItWasWritten() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("dump.safetensors").toStdString();
        const RecordedTensors written = {{"half", at::rand({3}).to(at::kHalf)},
                                         {"latents", at::rand({1, 4, 2, 2})},
                                         {"nothing", at::zeros({0})},
                                         {"sigma", at::scalar_tensor(14.5, at::kFloat)},
                                         {"timesteps", at::arange(4)}};
        writeRecording(path, written, {});
        const RecordedTensors read = readRecording(path);
        QCOMPARE(read.size(), written.size());
        for (const auto& [key, value] : written) {
            QCOMPARE(read.at(key).scalar_type(), value.scalar_type());
            QVERIFY2(at::equal(read.at(key), value), key.c_str());
        }
    }

    void fileRefusesATypeThatItCannotHold() {
        try {
            writeRecording("unused", {{"complex", at::zeros({1}, at::kComplexFloat)}}, {});
            QFAIL("nothing was thrown");
        } catch (const Error& error) {
            QVERIFY(error.kind() == ErrorKind::Unsupported);
            QVERIFY(error.message().str().find("complex") != std::string::npos);
        }
    }
};

LOWTIDE_TEST(RecorderTest)

}  // namespace lowtide::tensor::recorder_test

#include "recorder_test.moc"
