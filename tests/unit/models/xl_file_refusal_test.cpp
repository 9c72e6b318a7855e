#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/output_file.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <cstring>
#include <functional>

namespace xl_file_refusal_test {

using namespace lowtide;

namespace {

using OwnTensors = testing::TensorFile;

struct Damage {
    const char* row;
    std::function<void(OwnTensors&)> change;
    ErrorKind kind;
    std::vector<std::string> expected;
};

void eraseUnder(OwnTensors& tensors, const std::string& prefix) {
    std::erase_if(tensors, [&](const auto& entry) { return entry.first.starts_with(prefix); });
}

testing::FileTensor zeros(DType type, Shape shape) {
    const auto bytes = static_cast<size_t>(elementCount(shape).value() * sizeOf(type));
    return {.type = type, .shape = std::move(shape), .bytes = std::string(bytes, '\0')};
}

constexpr const char* kProjection = "conditioner.embedders.1.model.text_projection";

std::vector<Damage> damages() {
    using enum ErrorKind;
    return {
        {"no first encoder",
         [](OwnTensors& t) { eraseUnder(t, "conditioner.embedders.0."); },
         Unsupported,
         {"conditioner.embedders.0.transformer.text_model.embeddings.token_embedding.weight",
          "two text encoders",
          "only the one under conditioner.embedders.1.model."}},
        {"no second encoder",
         [](OwnTensors& t) { eraseUnder(t, "conditioner.embedders.1."); },
         Unsupported,
         {"conditioner.embedders.1.model.token_embedding.weight", "two text encoders"}},
        {"another projection",
         [](OwnTensors& t) {
             t[kProjection] = zeros(DType::F32, {128, 64});
         },
         Corrupt,
         {"label_emb.0.0.weight takes 176 numbers",
          std::string(kProjection) + " gives 64",
          "6 equal parts, it is 112"}},
        {"a projection that is none",
         [](OwnTensors& t) { t[kProjection] = zeros(DType::F32, {128}); },
         Corrupt,
         {kProjection, "[128]"}},
        {"no projection",
         [](OwnTensors& t) { t.erase(kProjection); },
         Corrupt,
         {std::string("there is no tensor ") + kProjection}},
        {"EDM's velocity",
         [](OwnTensors& t) { t["edm_vpred.sigma_max"] = zeros(DType::F32, {1}); },
         Unsupported,
         {"edm_vpred.sigma_max"}},
        {"latents of whole numbers",
         [](OwnTensors& t) {
             t["edm_mean"] = zeros(DType::I64, {4});
             t["edm_std"] = zeros(DType::F32, {4});
         },
         Corrupt,
         {"edm_mean", "I64 [4]"}},
        {"a mean without a deviation",
         [](OwnTensors& t) { t["edm_mean"] = zeros(DType::F32, {4}); },
         Corrupt,
         {"it has edm_mean but no edm_std"}},
        {"a deviation without a mean",
         [](OwnTensors& t) { t["edm_std"] = zeros(DType::F32, {4}); },
         Corrupt,
         {"it has edm_std but no edm_mean"}},
        {"a middle of another depth",
         [](OwnTensors& t) {
             eraseUnder(t, "model.diffusion_model.middle_block.1.transformer_blocks.1.");
         },
         Unsupported,
         {"the middle of its denoiser has 1 transformer layers, the last level has 2"}},
        {"an autoencoder alone",
         [](OwnTensors& t) {
             std::erase_if(t, [](const auto& entry) {
                 return !entry.first.starts_with("first_stage_model.");
             });
         },
         Unsupported,
         {"m.safetensors is no checkpoint, it is of the kind \"autoencoder\"",
          "no tensor model.diffusion_model.input_blocks.0.0.weight",
          "tensors begin with first_stage_model"}},
    };
}

/// All that a family would read.
void readEverything(models::Checkpoint& checkpoint) {
    for (const char* component : {"unet", "vae", "text_encoder", "text_encoder_2"}) {
        (void)checkpoint.readJson(std::string(component) + "/config.json");
        (void)checkpoint.weights(component, "model");
    }
    (void)checkpoint.readJson("scheduler/scheduler_config.json");
}

}  // namespace

/// Files of SDXL that are damaged or of several kinds: one sentence names file, key and what was
/// seen.
class XlFileRefusalTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        xl_ = testing::xlFileFolder().toStdString() + "/sdxl_1.safetensors";
        files::writeFileAtomically(
            copy("m.lowtide.json"),
            files::InputFile(testing::xlFileFolder().toStdString() + "/sdxl_1.lowtide.json")
                .readAll(kMiB));
    }

    void namesWhatDoesNotFit_data() { testing::addEach(damages(), &Damage::row); }

    void namesWhatDoesNotFit() {
        QFETCH(int, index);
        const Damage damage = damages()[static_cast<size_t>(index)];
        OwnTensors tensors = testing::readTensorFile(xl_);
        damage.change(tensors);
        testing::writeTensorFile(copy("m.safetensors"), tensors);

        const auto error = refusal();

        QVERIFY(error);
        QVERIFY2(error->kind() == damage.kind, error->what());
        for (const std::string& text : damage.expected) {
            QVERIFY2(error->message().str().find(text) != std::string::npos, error->what());
        }
        QVERIFY2(error->message().str().find("m.safetensors") != std::string::npos, error->what());
    }

    /// Some files hold an autoencoder in f32 next to a denoiser in f16.
    void typesOfTheirOwnAreKept() {
        OwnTensors tensors = testing::readTensorFile(xl_);
        const std::string name = "first_stage_model.decoder.conv_in.weight";
        tensors.at(name) = zeros(DType::F16, tensors.at(name).shape);
        testing::writeTensorFile(copy("m.safetensors"), tensors);
        QVERIFY(!refusal());
        const auto checkpoint = open();
        QCOMPARE(checkpoint->weights("vae", "model").tensors.at(name).type, DType::F16);
    }

    void refusesAHeaderThatIsCutOff() {
        const files::InputFile file(xl_);
        std::string start(8, '\0');
        file.read(std::as_writable_bytes(std::span(start)), 0);
        uint64_t length = 0;
        std::memcpy(&length, start.data(), sizeof length);
        std::string header(static_cast<size_t>(length) + start.size(), '\0');
        file.read(std::as_writable_bytes(std::span(header)), 0);
        for (size_t tenth = 0; tenth < 10; ++tenth) {
            files::writeFileAtomically(copy("m.safetensors"),
                                       header.substr(0, header.size() * tenth / 10));
            const auto error = refusal();
            QVERIFY2(error && error->kind() == ErrorKind::Corrupt,
                     qPrintable(QString::number(tenth)));
            QVERIFY2(error->message().str().find("m.safetensors") != std::string::npos,
                     error->what());
        }
    }

private:
    std::string copy(const char* name) const { return folder_.filePath(name).toStdString(); }

    std::unique_ptr<models::Checkpoint> open() const {
        return models::openLayout({.path = copy("m.safetensors"), .name = "m.safetensors"},
                                  testing::sourcePath("resources").toStdString());
    }

    std::optional<Error> refusal() const {
        return testing::errorOf([&] { readEverything(*open()); });
    }

    QTemporaryDir folder_;
    std::string xl_;
};

LOWTIDE_TEST(XlFileRefusalTest)

}  // namespace xl_file_refusal_test

#include "xl_file_refusal_test.moc"
