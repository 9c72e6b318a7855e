// Weights with NaN or infinity, numbers that overflow: the run fails at the stage that made them,
// names the component, and leaves neither an image nor a kept result nor a byte behind.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/journey/policy_runs.hpp"

#include <QtTest/QtTest>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace finite_test {

using namespace lowtide;

namespace {

/// A checkpoint in which one component's weights are damaged.
struct Damage {
    const char* family;
    const char* folder;     ///< of the component in the checkpoint
    const char* component;  ///< its role
    const char* node;       ///< that runs it first
};

constexpr Damage kDamages[] = {{"sd15", "text_encoder", "text_encoder", "encode"},
                               {"sd15", "unet", "denoiser", "denoise"},
                               {"sd15", "vae", "autoencoder", "decode"},
                               {"sdxl", "text_encoder", "text_encoder", "encode"},
                               {"sdxl", "text_encoder_2", "text_encoder_2", "encode"},
                               {"sdxl", "unet", "denoiser", "denoise"},
                               {"sdxl", "vae", "autoencoder", "decode"},
                               {"wan", "text_encoder", "text_encoder", "encode"},
                               {"wan", "transformer", "denoiser", "denoise"},
                               {"wan", "vae", "autoencoder", "decode"},
                               {"wan22", "transformer_2", "denoiser_2", "denoise"},
                               {"zimage", "text_encoder", "text_encoder", "encode"},
                               {"zimage", "transformer", "denoiser", "denoise"},
                               {"zimage", "vae", "autoencoder", "decode"},
                               {"flux", "text_encoder", "text_encoder", "encode"},
                               {"flux", "text_encoder_2", "text_encoder_2", "encode"},
                               {"flux", "transformer", "denoiser", "denoise"},
                               {"hidream", "text_encoder_3", "text_encoder_3", "encode"},
                               {"hidream", "text_encoder_4", "text_encoder_4", "encode"},
                               {"hidream", "transformer", "denoiser", "denoise"}};

bool isVideo(const std::string& family) {
    return family.starts_with("wan");
}

QString checkpointOf(const std::string& family) {
    if (family == "sd15") {
        return testing::sourcePath("resources/mini/model");
    }
    const QString goldens = family == "sdxl"      ? testing::sdxlGoldenFolder()
                            : family == "flux"    ? testing::fluxGoldenFolder()
                            : family == "hidream" ? testing::hidreamGoldenFolder()
                            : isVideo(family)     ? testing::wanGoldenFolder()
                                                  : testing::zimageGoldenFolder();
    // The second HiDream-I1's weight in the middle is one that a token need not be routed to.
    const std::string name = isVideo(family)       ? family + "_t2v_0"
                             : family == "hidream" ? family + "_0"
                                                   : family + "_1";
    return goldens + "/checkpoints/" + QString::fromStdString(name);
}

template <class Bits>
void put(std::string& bytes, size_t element, Bits bits) {
    std::memcpy(bytes.data() + element * sizeof(Bits), &bits, sizeof(Bits));
}

/// Every number of a tensor, in its own type.
void fill(testing::FileTensor& tensor, float value) {
    const auto wide = std::bit_cast<uint32_t>(value);
    for (size_t i = 0; i < tensor.bytes.size() / static_cast<size_t>(sizeOf(tensor.type)); ++i) {
        if (tensor.type == DType::F32) {
            put(tensor.bytes, i, value);
        } else if (tensor.type == DType::BF16) {
            put(tensor.bytes, i, static_cast<uint16_t>(wide >> 16));
        } else {
            put(tensor.bytes, i, std::isnan(value) ? uint16_t{0x7e00} : uint16_t{0x7c00});
        }
    }
}

/// In f32, whatever the tensor was.
void enlarge(testing::FileTensor& tensor, double factor) {
    const std::vector<double> values = tensor.values();
    tensor.type = DType::F32;
    tensor.bytes.resize(values.size() * sizeof(float));
    for (size_t i = 0; i < values.size(); ++i) {
        put(tensor.bytes, i, static_cast<float>(values[i] * factor));
    }
}

/// What stands next to a checkpoint; a copy of its folder is damaged. What an IP-Adapter itself
/// holds is looked at when it is read, as a LoRA's numbers are.
struct AddOn {
    const char* graph;
    QString checkpoint;
    QString folder;
    const char* damaged;  ///< folder of the file, below the copy
    QStringList set;      ///< "%1": the copy
    const char* component;
    const char* node;
};

std::vector<AddOn> addOns() {
    const QString control = testing::controlGoldenFolder();
    const QString ip = testing::ipGoldenFolder();
    const QString dog = testing::sourcePath("examples/pictures/dog.png");
    const QStringList ipFiles = {"load_reference.image=" + dog,
                                 "load_ip.adapter=%1/ip-adapter_sd15.safetensors",
                                 "load_ip.image_encoder=%1/image_encoder"};
    return {{"controlnet",
             control + "/checkpoints/sd15_0",
             control + "/controlnet/sd15_0_0",
             "",
             {"load_control.controlnet=%1", "load_hint.image=" + dog},
             "controlnet",
             "denoise"},
            {"ip_adapter",
             ip + "/checkpoints/sd15_0",
             ip + "/ip/sd15_0_0",
             "/image_encoder",
             ipFiles,
             "image_encoder",
             "ip"}};
}

/// The first matrix or convolution of the component's middle.
void damage(const QString& folder, float value) {
    const QStringList files = QDir(folder).entryList({"*.safetensors"});
    QVERIFY(!files.isEmpty());
    const std::string path = (folder + "/" + files.front()).toStdString();
    testing::TensorFile tensors = testing::readTensorFile(path);
    for (auto each = std::next(tensors.begin(), static_cast<ptrdiff_t>(tensors.size() / 2));
         each != tensors.end();
         ++each) {
        if (each->second.shape.size() > 1 && !QByteArray(each->first.c_str()).contains("embed")) {
            fill(each->second, value);
            break;
        }
    }
    testing::writeTensorFile(path, tensors);
}

Json issueOf(const testing::ModuleRun& run) {
    for (const Json& issue : run.report.at("issues")) {
        if (issue.at("severity") == "error") {
            return issue;
        }
    }
    return {};
}

}  // namespace

class FiniteTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    [[nodiscard]] QString out() const { return folder_.filePath("out"); }

    /// A short run of a family on a rehearsed card.
    Json options(const std::string& family, const QString& checkpoint, const std::string& policy) {
        Json set = {"load.checkpoint=" + checkpoint.toStdString(),
                    "encode.prompt=a red boat",
                    "denoise.steps=3"};
        if (isVideo(family)) {
            set.insert(set.end(), {"video.width=32", "video.height=32", "video.frames=5"});
        } else {
            set.insert(set.end(), {"latent.width=64", "latent.height=64"});
        }
        return {{"device", "fake:256MiB"},
                {"set", set},
                {"out", out().toStdString()},
                {"policies", testing::ofStages({"encode", "denoise", "decode"}, policy)}};
    }

    static testing::ModuleRun run(const std::string& family, const Json& options) {
        return testing::runModule(
            testing::exampleText(isVideo(family) ? "text_to_video" : "text_to_image"), options);
    }

    /// Files in the folder of images; it is emptied.
    QStringList made() const {
        const QStringList files = QDir(out()).entryList(QDir::Files);
        QDir(out()).removeRecursively();
        return files;
    }

    void checkRefused(const testing::ModuleRun& ended, const char* node, const char* component) {
        QVERIFY2(ended.status != Status::Ok, ended.report.dump().c_str());
        const Json issue = issueOf(ended);
        QVERIFY2(issue.value("code", "") == "not_finite", issue.dump().c_str());
        QCOMPARE(issue.value("node", ""), std::string(node));
        const Json facts =
            Json::parse(issue.at("facts").is_string() ? issue.at("facts").get<std::string>()
                                                      : issue.at("facts").dump());
        QCOMPARE(facts.value("component", ""), std::string(component));
        QVERIFY2(!issue.value("hint", "").empty(), issue.dump().c_str());
        QCOMPARE(made(), QStringList());
    }

private Q_SLOTS:

    void cleanup() { testing::checkNothingIsLeft(); }

    void theFirstComponentIsNamed_data() {
        QTest::addColumn<int>("damage");
        QTest::addColumn<float>("value");
        QTest::addColumn<QString>("policy");
        size_t policy = 0;
        for (size_t i = 0; i < std::size(kDamages); ++i) {
            for (const bool isNan : {true, false}) {
                if (!testing::isFullTest() && isNan != (i % 2 == 0)) {
                    continue;
                }
                const char* name =
                    testing::kEveryPolicy[policy++ % std::size(testing::kEveryPolicy)];
                QTest::addRow("%s, %s, %s, %s",
                              kDamages[i].family,
                              kDamages[i].folder,
                              isNan ? "NaN" : "infinity",
                              name)
                    << static_cast<int>(i)
                    << (isNan ? std::numeric_limits<float>::quiet_NaN()
                              : std::numeric_limits<float>::infinity())
                    << name;
            }
        }
    }

    /// And the whole checkpoint runs afterwards, in the same process.
    void theFirstComponentIsNamed() {
        QFETCH(int, damage);
        QFETCH(float, value);
        QFETCH(QString, policy);
        const Damage& own = kDamages[static_cast<size_t>(damage)];
        const QTemporaryDir copy;
        const QString checkpoint = copy.filePath("damaged");
        testing::copyFolder(checkpointOf(own.family), checkpoint);
        finite_test::damage(checkpoint + "/" + own.folder, value);

        const auto ended = run(own.family, options(own.family, checkpoint, policy.toStdString()));

        checkRefused(ended, own.node, own.component);
        testing::checkNothingIsLeft();
        const auto healthy =
            run(own.family, options(own.family, checkpointOf(own.family), policy.toStdString()));
        QVERIFY2(healthy.status == Status::Ok, healthy.report.dump().c_str());
        QCOMPARE(made().size(), 1);
    }

    void anAddOnIsNamed_data() {
        QTest::addColumn<int>("number");
        const std::vector<AddOn> all = addOns();
        for (size_t i = 0; i < all.size(); ++i) {
            QTest::addRow("%s%s", all[i].graph, all[i].damaged) << static_cast<int>(i);
        }
    }

    void anAddOnIsNamed() {
        QFETCH(int, number);
        const AddOn own = addOns()[static_cast<size_t>(number)];
        const QTemporaryDir copy;
        testing::copyFolder(own.folder, copy.filePath("own"));
        Json asked = options("sd15", own.checkpoint, "sequential");
        for (const QString& text : own.set) {
            asked["set"].push_back(QString(text).replace("%1", copy.filePath("own")).toStdString());
        }
        const auto ended = [&] {
            return testing::runModule(testing::exampleText(own.graph), asked);
        };
        const auto healthy = ended();
        QVERIFY2(healthy.status == Status::Ok, healthy.report.dump().c_str());
        QCOMPARE(made().size(), 1);

        damage(copy.filePath("own") + own.damaged, std::numeric_limits<float>::quiet_NaN());

        checkRefused(ended(), own.node, own.component);
    }

    /// The step is named, and nothing of it enters a store of results.
    void nothingOfItIsKept() {
        const QTemporaryDir copy;
        const QString checkpoint = copy.filePath("damaged");
        testing::copyFolder(checkpointOf("sd15"), checkpoint);
        damage(checkpoint + "/unet", std::numeric_limits<float>::quiet_NaN());
        Json asked = options("sd15", checkpoint, "auto");
        for (int i = 0; i < 2; ++i) {
            const auto ended = run("sd15", asked);
            checkRefused(ended, "denoise", "denoiser");
            const std::string message = issueOf(ended).at("message");
            QVERIFY2(message.find("step 1 of 3") != std::string::npos, message.c_str());
        }
    }

    void anOverflowNamesItsPrecision() {
        const QTemporaryDir copy;
        const QString checkpoint = copy.filePath("large");
        testing::copyFolder(checkpointOf("sd15"), checkpoint);
        const std::string path =
            (checkpoint + "/unet/diffusion_pytorch_model.safetensors").toStdString();
        testing::TensorFile tensors = testing::readTensorFile(path);
        enlarge(tensors.at("conv_in.weight"), 1e5);
        testing::writeTensorFile(path, tensors);
        Json asked = options("sd15", checkpoint, "none");
        asked["precisions"] = {"denoise=quality,compute=f16"};

        const auto ended = run("sd15", asked);

        checkRefused(ended, "denoise", "denoiser");
        const Json issue = issueOf(ended);
        QVERIFY2(issue.at("message").get<std::string>().find("compute=f16") != std::string::npos,
                 issue.dump().c_str());
        QVERIFY2(issue.at("hint").get<std::string>().find("bf16") != std::string::npos,
                 issue.dump().c_str());
        QCOMPARE(issue.value("item", ""), std::string("precision"));
        asked["precisions"] = {"denoise=quality,compute=bf16"};
        const auto fixed = run("sd15", asked);
        QVERIFY2(fixed.status == Status::Ok, fixed.report.dump().c_str());
        QCOMPARE(made().size(), 1);
    }

    /// What a LoRA adds is the denoiser's (one that holds NaN is refused when it is read); the
    /// advice names its strength.
    void aLoraIsSuspected() {
        const QTemporaryDir copy;
        const std::string unet =
            (checkpointOf("sd15") + "/unet/diffusion_pytorch_model.safetensors").toStdString();
        const std::string layer = "mid_block.attentions.0.transformer_blocks.0.attn1.to_q";
        const Shape shape = testing::readTensorFile(unet).at(layer + ".weight").shape;
        testing::TensorFile lora;
        const std::string name =
            "lora_unet_" + QString::fromStdString(layer).replace('.', '_').toStdString();
        lora[name + ".lora_up.weight"] = {
            DType::F32, {shape[0], 1}, std::string(static_cast<size_t>(shape[0]) * 4, '\0')};
        lora[name + ".lora_down.weight"] = {
            DType::F32, {1, shape[1]}, std::string(static_cast<size_t>(shape[1]) * 4, '\0')};
        fill(lora[name + ".lora_up.weight"], 1e30F);
        fill(lora[name + ".lora_down.weight"], 1e30F);
        const QString file = copy.filePath("strong.safetensors");
        testing::writeTensorFile(file.toStdString(), lora);
        Json asked = options("sd15", checkpointOf("sd15"), "leaf+stream");
        asked["set"].push_back("lora.file=" + file.toStdString());
        const auto ended = testing::runModule(testing::exampleText("lora"), asked);

        checkRefused(ended, "denoise", "denoiser");
        const std::string hint = issueOf(ended).at("hint");
        QVERIFY2(hint.find("LoRA") != std::string::npos, hint.c_str());
    }
};

LOWTIDE_TEST(FiniteTest)

}  // namespace finite_test

#include "finite_test.moc"
