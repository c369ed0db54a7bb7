"""A real llama.cpp server on a free port, with a model that knows one sentence.

Never downloads anything: the weights are written here, a few hundred kilobytes of them. Each token's embedding is
a direction of its own and attention adds nothing, so what follows a token depends on that token alone: after the end
of the prompt comes the sentence, word by word, and then the end.

Wants the packages `xllamacpp` (llama.cpp's server with its Python binding) and `gguf` (its file format). Prints the
address, and serves until its standard input is closed.
"""

import sys
import tempfile
from pathlib import Path

import gguf
import numpy as np
import xllamacpp

SENTENCE = ["▁Real", "▁software", "▁says", "▁this", "."]
# The last token of every prompt, as the template below ends it.
CUE = b"<0x5D>"
TEMPLATE = "{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}[assistant]"
CONTEXT = 65_536


def vocabulary():
    kinds = gguf.TokenType
    special = [(b"<unk>", kinds.UNKNOWN), (b"<s>", kinds.CONTROL), (b"</s>", kinds.CONTROL)]
    single = [(f"<0x{byte:02X}>".encode(), kinds.BYTE) for byte in range(256)]
    words = [(word.encode(), kinds.NORMAL) for word in SENTENCE]
    return special + single + words


def write(path):
    vocab = vocabulary()
    tokens = [token for token, _ in vocab]
    # Heads divide the width.
    width = -(-len(tokens) // 32) * 32
    place = {token: index for index, token in enumerate(tokens)}
    chain = [CUE, *(word.encode() for word in SENTENCE), b"</s>"]

    embedding = np.zeros((len(tokens), width), np.float32)
    np.fill_diagonal(embedding, 1.0)
    output = np.zeros((len(tokens), width), np.float32)
    for last, following in zip(chain, chain[1:]):
        output[place[following], place[last]] = 4.0

    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("one-sentence")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(width)
    writer.add_block_count(1)
    writer.add_feed_forward_length(32)
    writer.add_head_count(width // 32)
    writer.add_head_count_kv(width // 32)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(32)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    # So unlikely that no prompt is read as these words.
    writer.add_token_scores([-1e6 if kind == gguf.TokenType.NORMAL else 0.0 for _, kind in vocab])
    writer.add_token_types([kind for _, kind in vocab])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(TEMPLATE)
    writer.add_tensor("token_embd.weight", embedding)
    writer.add_tensor("output.weight", output)
    writer.add_tensor("output_norm.weight", np.ones(width, np.float32))
    for name in ["attn_norm", "ffn_norm"]:
        writer.add_tensor(f"blk.0.{name}.weight", np.ones(width, np.float32))
    for name in ["attn_q", "attn_k", "attn_v", "attn_output"]:
        writer.add_tensor(f"blk.0.{name}.weight", np.zeros((width, width), np.float32))
    for name in ["ffn_gate", "ffn_up"]:
        writer.add_tensor(f"blk.0.{name}.weight", np.zeros((32, width), np.float32))
    writer.add_tensor("blk.0.ffn_down.weight", np.zeros((width, 32), np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


with tempfile.TemporaryDirectory() as folder:
    model = str(Path(folder) / "one-sentence.gguf")
    write(model)
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.n_ctx = CONTEXT
    params.port = 0
    server = xllamacpp.Server(params)
    print(f"listening at {server.listening_address}", flush=True)
    sys.stdin.read()
