#include "plugin/base/error.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "plugin/tensor/value_codecs.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"

#include <ATen/ATen.h>

#include <QtTest>

#include <algorithm>
#include <limits>

namespace lowtide::tensor::value_codecs_test {

namespace {

const memory::ValueCodec& codecOf(const memory::ValueCodecs& codecs, std::string_view type) {
    return **std::find_if(
        codecs.begin(), codecs.end(), [&](const auto& codec) { return codec->type() == type; });
}

/// Through a codec and, as a file would keep it, through JSON text.
template <class Value>
std::shared_ptr<const Value> through(const memory::WireRef& value) {
    const memory::ValueCodecs codecs = stageValueCodecs();
    const memory::ValueCodec& codec = codecOf(codecs, value->type());
    memory::EncodedValue encoded = codec.encode(value);
    encoded.metadata = parseJson(encoded.metadata.dump(), "test");
    return std::dynamic_pointer_cast<const Value>(codec.decode(encoded));
}

bool sameBits(const at::Tensor& a, const at::Tensor& b) {
    return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() &&
           std::memcmp(a.const_data_ptr(), b.const_data_ptr(), a.nbytes()) == 0;
}

/// Numbers whose bits a text would lose: NaN, infinities, minus zero, the smallest one.
at::Tensor oddNumbers(at::IntArrayRef sizes) {
    at::Tensor numbers = at::randn(sizes);
    float* first = numbers.data_ptr<float>();
    first[0] = std::numeric_limits<float>::quiet_NaN();
    first[1] = -std::numeric_limits<float>::infinity();
    first[2] = -0.0F;
    first[3] = std::numeric_limits<float>::denorm_min();
    return numbers;
}

Provenance somewhere() {
    Provenance provenance{.prompt = "a \"cat\"\nüöä 🐚", .negative = ""};
    provenance.set("Steps", "20");
    provenance.set("Sampler", "Euler");
    provenance.set("CFG scale", "");
    provenance.ofImages = {{{"Seed", "18446744073709551615"}}, {}, {{"Seed", "0"}, {"x", "y"}}};
    return provenance;
}

bool operatorEqual(const Provenance& a, const Provenance& b) {
    return a.prompt == b.prompt && a.negative == b.negative && a.fields == b.fields &&
           a.ofImages == b.ofImages;
}

}  // namespace

/// Values taken apart and put together: every bit, text and state comes back.
class ValueCodecsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void conditioningComesBack() {
        const auto value = std::make_shared<Conditioning>(
            oddNumbers({1, 7, 4}), at::randn({1, 4}), "a \"cat\" 🐚", -1);

        const auto back = through<Conditioning>(value);

        QVERIFY(sameBits(back->tensor("embeds"), value->tensor("embeds")));
        QVERIFY(sameBits(back->tensor("pooled"), value->tensor("pooled")));
        QCOMPARE(back->prompt(), value->prompt());
        QCOMPARE(back->clipSkip(), -1);
    }

    void entriesOfAConditioningComeBack() {
        const ConditioningScope scope{
            .area = ImageArea{.xPixels = 8, .yPixels = 16, .widthPixels = 24, .heightPixels = 32},
            .strength = 0.1,
            .start = 1.0 / 3,
            .end = 0.7};
        const ConditioningFields fields = {{"t5", FieldKind::Sequence, 4},
                                           {"pooled", FieldKind::Vector, 6},
                                           {"llama", FieldKind::Sequence, 8},
                                           {"image", FieldKind::Image, 5}};
        const auto value = std::make_shared<Conditioning>(
            fields,
            std::vector<ConditioningEntry>{{.tensors = {{"t5", at::randn({1, 7, 4})},
                                                        {"pooled", at::randn({1, 6})},
                                                        {"llama", at::randn({1, 3, 9, 8})},
                                                        {"image", at::randn({1, 2, 5})}},
                                            .numbers = {{"size", 1024}, {"score", 1.0 / 3}}},
                                           {.tensors = {{"t5", oddNumbers({1, 14, 4})},
                                                        {"llama", oddNumbers({1, 3, 2, 8})},
                                                        {kPromptMask, at::rand({1, 1, 5, 7})}},
                                            .scope = scope}},
            "a AND b",
            2,
            std::vector<std::string>{"", "a AND c", ""});

        const auto back = through<Conditioning>(value);

        QCOMPARE(back->otherPrompts(), (std::vector<std::string>{"", "a AND c"}));
        QVERIFY(back->fields() == fields);
        QCOMPARE(back->entries().size(), size_t{2});
        QVERIFY(back->entries()[0].scope == ConditioningScope{});
        QVERIFY(back->entries()[1].scope == scope);
        for (size_t i = 0; i < value->entries().size(); ++i) {
            const auto& tensors = value->entries()[i].tensors;
            QCOMPARE(back->entries()[i].tensors.size(), tensors.size());
            QVERIFY(back->entries()[i].numbers == value->entries()[i].numbers);
            for (const auto& [name, tensor] : tensors) {
                QVERIFY2(sameBits(back->entries()[i].tensors.at(name), tensor), name.c_str());
            }
        }
    }

    void refusesATensorThatItsFieldDoesNotDescribe() {
        const memory::ValueCodecs codecs = stageValueCodecs();
        const memory::ValueCodec& codec = codecOf(codecs, "CONDITIONING");
        for (const at::Tensor& wrong :
             {at::zeros({1, 7, 5}), at::zeros({7, 4}), at::zeros({1, 7, 4}, at::kDouble)}) {
            const auto value = std::make_shared<Conditioning>(
                ConditioningFields{{"t5", FieldKind::Sequence, 4}},
                std::vector<ConditioningEntry>{{.tensors = {{"t5", wrong}}}},
                "",
                -1);
            const auto error =
                testing::errorOf([&] { static_cast<void>(codec.decode(codec.encode(value))); });
            QVERIFY(error && error->kind() == ErrorKind::Corrupt);
            QVERIFY(error->message().str().find("t5.0") != std::string::npos);
        }
    }

    void conditioningWithoutPooledComesBack() {
        const auto back = through<Conditioning>(
            std::make_shared<Conditioning>(at::randn({1, 2, 2}), at::Tensor(), "", 3));

        QVERIFY(!back->tensor("pooled").defined());
        QCOMPARE(back->clipSkip(), 3);
    }

    void aViewComesBackAsWhatItShows() {
        const at::Tensor transposed = at::randn({1, 4, 7}).transpose(1, 2);

        const auto back =
            through<Conditioning>(std::make_shared<Conditioning>(transposed, at::Tensor(), "", 0));

        QVERIFY(at::equal(back->tensor("embeds"), transposed));
    }

    void latentsComeBackWithTheSamplersState() {
        auto carry = std::make_shared<SamplerCarry>();
        carry->schedule = "euler 20";
        carry->step = 7;
        carry->history = {oddNumbers({1, 4, 2, 2}), at::Tensor(), at::randn({2})};
        carry->scalars = {0.1, -0.0, std::numeric_limits<double>::infinity(), 1e-320};
        carry->generator = at::arange(100, at::kByte);
        const auto value = std::make_shared<Latents>(oddNumbers({1, 4, 2, 2}), somewhere(), carry);

        const auto back = through<Latents>(value);

        QVERIFY(sameBits(back->samples(), value->samples()));
        QVERIFY(operatorEqual(back->provenance(), somewhere()));
        QVERIFY(back->carry());
        QCOMPARE(back->carry()->schedule, carry->schedule);
        QCOMPARE(back->carry()->step, 7);
        QCOMPARE(back->carry()->history.size(), size_t{3});
        QVERIFY(sameBits(back->carry()->history[0], carry->history[0]));
        QVERIFY(!back->carry()->history[1].defined());
        QVERIFY(sameBits(back->carry()->history[2], carry->history[2]));
        QCOMPARE(back->carry()->scalars.size(), carry->scalars.size());
        QVERIFY(std::memcmp(back->carry()->scalars.data(),
                            carry->scalars.data(),
                            carry->scalars.size() * sizeof(double)) == 0);
        QVERIFY(sameBits(back->carry()->generator, carry->generator));
    }

    void latentsWithoutStateComeBack() {
        const auto back =
            through<Latents>(std::make_shared<Latents>(at::randn({2, 4, 2, 2}), Provenance()));

        QVERIFY(!back->carry());
        QVERIFY(!back->deviation().defined());
        QVERIFY(back->provenance().fields.empty());
    }

    void latentsOfVideosComeBack() {
        const auto value = std::make_shared<Latents>(oddNumbers({1, 4, 3, 2, 2}), somewhere());
        QVERIFY(sameBits(through<Latents>(value)->samples(), value->samples()));
    }

    void anEncodedImageComesBackWithItsDeviation() {
        const auto value = std::make_shared<Latents>(
            at::randn({1, 4, 2, 2}), somewhere(), nullptr, oddNumbers({1, 4, 2, 2}));

        const auto back = through<Latents>(value);

        QVERIFY(sameBits(back->samples(), value->samples()));
        QVERIFY(sameBits(back->deviation(), value->deviation()));
    }

    /// With an image encoder's states and without.
    void aVideoComesBackWithItsImageConditioning() {
        for (const at::Tensor& visionEmbeds : {oddNumbers({1, 3, 5}), at::Tensor()}) {
            const auto imageConditioning =
                std::make_shared<const ImageConditioning>(ImageConditioning{
                    .extraChannels = oddNumbers({1, 20, 3, 2, 2}), .visionEmbeds = visionEmbeds});
            const auto value = std::make_shared<Latents>(oddNumbers({1, 16, 3, 2, 2}),
                                                         somewhere(),
                                                         nullptr,
                                                         at::Tensor(),
                                                         imageConditioning);
            const auto back = through<Latents>(value);
            QVERIFY(back->imageConditioning() && sameBits(back->imageConditioning()->extraChannels,
                                                          imageConditioning->extraChannels));
            QCOMPARE(back->imageConditioning()->visionEmbeds.defined(), visionEmbeds.defined());
            QVERIFY(!visionEmbeds.defined() ||
                    sameBits(back->imageConditioning()->visionEmbeds, visionEmbeds));
            const Bytes own =
                std::make_shared<Latents>(value->samples(), Provenance())->bytesOn("cpu");
            QCOMPARE(back->bytesOn("cpu"),
                     own + imageConditioning->extraChannels.nbytes() +
                         (visionEmbeds.defined() ? visionEmbeds.nbytes() : 0));
        }
    }

    void masksComeBack() {
        const auto value = std::make_shared<Masks>(oddNumbers({2, 1, 3, 4}));
        QVERIFY(sameBits(through<Masks>(value)->values(), value->values()));
    }

    void anEmptyLatentComesBack() {
        const ImageSize size{.width = 640, .height = 384, .frames = 81};

        const auto back = through<EmptyLatents>(std::make_shared<EmptyLatents>(size, 3));

        QVERIFY(back->size() == size);
        QCOMPARE(back->batch(), int64_t{3});
    }

    void imagesComeBack() {
        const auto value = std::make_shared<Images>(oddNumbers({2, 3, 4, 5}), somewhere());

        const auto back = through<Images>(value);

        QVERIFY(sameBits(back->pixels(), value->pixels()));
        QVERIFY(operatorEqual(back->provenance(), somewhere()));
    }

    void refusesWhatIsMissing_data() {
        QTest::addColumn<QString>("type");
        for (const char* type : {"CONDITIONING", "LATENT", "IMAGE", "MASK"}) {
            QTest::newRow(type) << QString(type);
        }
    }

    void refusesWhatIsMissing() {
        QFETCH(QString, type);
        const memory::ValueCodecs codecs = stageValueCodecs();

        const auto error = testing::errorOf([&] {
            static_cast<void>(codecOf(codecs, type.toStdString()).decode(memory::EncodedValue{}));
        });

        QVERIFY(error && error->kind() == ErrorKind::Corrupt);
    }

    void refusesATensorOfAnotherKind() {
        const memory::ValueCodecs codecs = stageValueCodecs();
        const memory::ValueCodec& codec = codecOf(codecs, "IMAGE");
        for (const at::Tensor& wrong :
             {at::zeros({3, 4, 5}), at::zeros({1, 3, 4, 5}, at::kDouble)}) {
            const auto value = std::make_shared<Images>(wrong, Provenance());
            const auto error =
                testing::errorOf([&] { static_cast<void>(codec.decode(codec.encode(value))); });
            QVERIFY(error && error->kind() == ErrorKind::Corrupt);
        }
    }
};

LOWTIDE_TEST(ValueCodecsTest)

}  // namespace lowtide::tensor::value_codecs_test

#include "value_codecs_test.moc"
