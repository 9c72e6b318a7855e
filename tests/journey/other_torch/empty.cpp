// A library with the file name of LibTorch's and nothing of what is in it.
extern "C" __attribute__((visibility("default"))) int notLibTorch() {
    return 0;
}
