"""Embeds texts with the client of OpenAI, which requests base64 by default.

usage: openai_sdk.py ROOST
"""

import sys

import openai
from http_server import server


def main():
    with server(sys.argv[1]) as (address, token):
        client = openai.OpenAI(base_url=address + "/v1", api_key=token, max_retries=0)
        model = client.models.list().data[0].id
        texts = ["a swift above the roof", "the gearbox needs new oil"]
        default = client.embeddings.create(model=model, input=texts)
        numbers = client.embeddings.create(model=model, input=texts, encoding_format="float")
        assert len(default.data) == 2 and default.usage.total_tokens > 0, default
        for left, right in zip(default.data, numbers.data):
            assert left.index == right.index
            assert all(abs(a - b) < 1e-6 for a, b in zip(left.embedding, right.embedding))
        single = client.embeddings.create(
            model=model, input=texts[0], dimensions=len(numbers.data[0].embedding)).data[0].embedding
        assert all(abs(a - b) < 1e-6 for a, b in zip(single, numbers.data[0].embedding))
        for arguments, error in [
            ({"model": model, "input": [[1, 2, 3]]}, openai.BadRequestError),
            ({"model": model, "input": texts, "dimensions": 7}, openai.BadRequestError),
            ({"model": "another", "input": texts}, openai.NotFoundError),
        ]:
            try:
                client.embeddings.create(**arguments)
                raise AssertionError(arguments)
            except error:
                pass
        try:
            openai.OpenAI(base_url=address + "/v1", api_key="x" * 64, max_retries=0).models.list()
            raise AssertionError("a wrong token was accepted")
        except openai.AuthenticationError:
            pass
    print("all calls succeeded")


main()
